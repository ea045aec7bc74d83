package dev.rekindle.console;

import io.micronaut.serde.annotation.Serdeable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of the list of recoveries.
 *
 * @param items held first, then open, then the newest
 * @param next cursor of the next part; absent at the end
 * @param total how many there are in all parts
 */
@Serdeable.Serializable
record RecoveryList(List<RecoveryItem> items, @Nullable String next, int total) {}
