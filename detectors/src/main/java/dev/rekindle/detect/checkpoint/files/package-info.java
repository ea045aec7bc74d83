/**
 * Where checkpoints lie: folders that are listed once, files that are read in ranges, and what a
 * look at them may cost.
 */
@NullMarked
package dev.rekindle.detect.checkpoint.files;

import org.jspecify.annotations.NullMarked;
