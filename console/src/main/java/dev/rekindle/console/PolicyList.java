package dev.rekindle.console;

import io.micronaut.serde.annotation.Serdeable;
import java.util.List;

/**
 * Policies.
 *
 * @param items {@code default} first
 */
@Serdeable.Serializable
record PolicyList(List<PolicyItem> items) {}
