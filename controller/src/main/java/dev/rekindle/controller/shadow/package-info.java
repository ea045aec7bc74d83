/** Mode observe: what would have been done, and whether that would have been right. */
@NullMarked
package dev.rekindle.controller.shadow;

import org.jspecify.annotations.NullMarked;
