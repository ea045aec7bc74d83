/** Folders of Accelerate's {@code save_state}. */
@NullMarked
package dev.rekindle.detect.checkpoint.accelerate;

import org.jspecify.annotations.NullMarked;
