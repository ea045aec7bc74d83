/**
 * Checkpoints on disk: which are complete, reported without reading a tensor or running a pickle.
 */
@NullMarked
package dev.rekindle.detect.checkpoint;

import org.jspecify.annotations.NullMarked;
