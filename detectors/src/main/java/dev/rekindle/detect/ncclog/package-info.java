/**
 * Lines that PyTorch's watchdog and NCCL print when a collective does not end. Each line is read by
 * itself, up to a length, in one pass.
 */
@NullMarked
package dev.rekindle.detect.ncclog;

import org.jspecify.annotations.NullMarked;
