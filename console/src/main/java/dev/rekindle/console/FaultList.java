package dev.rekindle.console;

import io.micronaut.serde.annotation.Serdeable;
import java.util.List;

/**
 * Faults of nodes.
 *
 * @param items by name
 */
@Serdeable.Serializable
record FaultList(List<FaultItem> items) {}
