/** Opens files that other programs have written, and may replace at any time. */
@NullMarked
package dev.rekindle.detect.file;

import org.jspecify.annotations.NullMarked;
