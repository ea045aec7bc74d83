/** Answers of NCCL's RAS service: what the ranks that it reaches have launched. */
@NullMarked
package dev.rekindle.detect.ras;

import org.jspecify.annotations.NullMarked;
