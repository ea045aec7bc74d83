package dev.rekindle.console;

import dev.rekindle.page.RecoveryRow;
import io.micronaut.serde.annotation.Serdeable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A recovery in a list of the JSON interface.
 *
 * @param namespace its namespace
 * @param name its name
 * @param job its job
 * @param phase the phase's word
 * @param cause the cause's word; may be empty
 * @param nodes nodes that it is about
 * @param restart how it restarts; may be empty
 * @param detectedAt when it was opened, RFC 3339
 * @param downtimeSeconds from detection to the first new step; absent until known
 * @param lostGpuSeconds GPU time lost; absent until known
 * @param cost what that costs; absent where it or the price is not known, or not for the visitor
 * @param currency of the cost, three letters; absent where there is none
 * @param hold the word of what it waits for; may be empty
 * @param approval what a person has said to it while it is open; may be empty
 */
@Serdeable.Serializable
record RecoveryItem(
    String namespace,
    String name,
    String job,
    String phase,
    String cause,
    List<String> nodes,
    String restart,
    String detectedAt,
    @Nullable Double downtimeSeconds,
    @Nullable Double lostGpuSeconds,
    @Nullable Double cost,
    @Nullable String currency,
    String hold,
    String approval) {
  static RecoveryItem of(RecoveryRow row) {
    return new RecoveryItem(
        row.namespace(),
        row.name(),
        row.job(),
        row.phase(),
        row.reason(),
        row.nodes(),
        row.way(),
        row.began().toString(),
        row.downtimeSeconds(),
        row.lostGpuSeconds(),
        row.cost(),
        row.cost() == null ? null : row.currency(),
        row.hold(),
        row.approval());
  }
}
