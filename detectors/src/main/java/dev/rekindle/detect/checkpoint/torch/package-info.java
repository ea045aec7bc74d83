/** Files of {@code torch.save}. */
@NullMarked
package dev.rekindle.detect.checkpoint.torch;

import org.jspecify.annotations.NullMarked;
