/** What one node, or one object, can say; this package holds what the detectors share. */
@NullMarked
package dev.rekindle.detect;

import org.jspecify.annotations.NullMarked;
