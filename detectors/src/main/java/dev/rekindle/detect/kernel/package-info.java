/** What lines of the kernel log report: one finding a line, whatever driver wrote it. */
@NullMarked
package dev.rekindle.detect.kernel;

import org.jspecify.annotations.NullMarked;
