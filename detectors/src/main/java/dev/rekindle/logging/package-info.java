/** The form of log lines: the keys of their values, the two formats, and Logback set up by code. */
@NullMarked
package dev.rekindle.logging;

import org.jspecify.annotations.NullMarked;
