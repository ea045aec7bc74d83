/** Megatron-LM's checkpoints, in its own layout and in that of torch.distributed.checkpoint. */
@NullMarked
package dev.rekindle.detect.checkpoint.megatron;

import org.jspecify.annotations.NullMarked;
