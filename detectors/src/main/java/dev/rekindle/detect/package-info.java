/** What one node, or one object, can tell; this package holds what the detectors share. */
@NullMarked
package dev.rekindle.detect;

import org.jspecify.annotations.NullMarked;
