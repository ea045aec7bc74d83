/** Files of the local checkpoints of NVIDIA's resiliency extension. */
@NullMarked
package dev.rekindle.detect.checkpoint.nvrx;

import org.jspecify.annotations.NullMarked;
