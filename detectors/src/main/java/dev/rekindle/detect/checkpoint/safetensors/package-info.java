/** Files of safetensors, and the index of a model that is split over several. */
@NullMarked
package dev.rekindle.detect.checkpoint.safetensors;

import org.jspecify.annotations.NullMarked;
