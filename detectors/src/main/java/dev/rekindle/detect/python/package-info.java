/**
 * Where the main thread of a Python process is, read from its memory. Nothing runs in the process,
 * and it is not stopped.
 */
@NullMarked
package dev.rekindle.detect.python;

import org.jspecify.annotations.NullMarked;
