/** Finding and pinning the checkpoint to resume from. */
@NullMarked
package dev.rekindle.controller.checkpoint;

import org.jspecify.annotations.NullMarked;
