/** Training progress, read from the log of the container. */
@NullMarked
package dev.rekindle.detect.progress;

import org.jspecify.annotations.NullMarked;
