/**
 * Which ranks hold up a training job that hangs: what the witnesses say, and what follows from it.
 * Pure, but for the command that reads the files.
 */
@NullMarked
package dev.rekindle.detect.stall;

import org.jspecify.annotations.NullMarked;
