/** Files of safetensors, by themselves and in shards with an index. */
@NullMarked
package dev.rekindle.detect.checkpoint.safetensors;

import org.jspecify.annotations.NullMarked;
