/**
 * What each word of Rekindle means, as data: one source for {@code explain}, the pages, the
 * reference and the runbooks.
 */
@NullMarked
package dev.rekindle.detect.knowledge;

import org.jspecify.annotations.NullMarked;
