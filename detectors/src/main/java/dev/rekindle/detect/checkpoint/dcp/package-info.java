/** Folders of {@code torch.distributed.checkpoint}, and torchtitan's, which are such folders. */
@NullMarked
package dev.rekindle.detect.checkpoint.dcp;

import org.jspecify.annotations.NullMarked;
