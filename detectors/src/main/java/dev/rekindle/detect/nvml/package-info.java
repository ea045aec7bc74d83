/**
 * GPUs as NVIDIA's management library shows them: what it reports, what it reads, and whether it
 * answers at all. The library of the node is used through the Foreign Function API; none is
 * bundled.
 */
@NullMarked
package dev.rekindle.detect.nvml;

import org.jspecify.annotations.NullMarked;
