package dev.rekindle.detect.progress;

import org.jspecify.annotations.Nullable;

/**
 * The training loss of one run of a container, as its lines name it.
 *
 * @param value the newest that is a number; absent where none was
 * @param notFinite how many of the newest lines in a row have named NaN or infinity
 * @param before the loss that the run before has ended with; absent where that was no number, or
 *     where there was none
 */
public record Loss(@Nullable Double value, int notFinite, @Nullable Double before) {}
