/**
 * Where checkpoints are: folders that are listed once, files that are read in ranges, and what a
 * scan of them may cost.
 */
@NullMarked
package dev.rekindle.detect.checkpoint.files;

import org.jspecify.annotations.NullMarked;
