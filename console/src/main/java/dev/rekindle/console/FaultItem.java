package dev.rekindle.console;

import dev.rekindle.page.FaultRow;
import io.micronaut.serde.annotation.Serdeable;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A fault of a node in the JSON interface.
 *
 * @param name name of the NodeFault
 * @param node the node
 * @param component what is faulty
 * @param code what it is
 * @param active whether it stands
 * @param count how often it was reported
 * @param lastSeen when last, RFC 3339; absent where not known
 * @param evidence the newest line
 */
@Serdeable.Serializable
record FaultItem(
    String name,
    String node,
    String component,
    String code,
    boolean active,
    long count,
    @Nullable String lastSeen,
    String evidence) {
  static FaultItem of(FaultRow row) {
    return new FaultItem(
        row.name(),
        row.node(),
        row.component(),
        row.code(),
        row.active(),
        row.count(),
        Optional.ofNullable(row.lastSeen()).map(Instant::toString).orElse(null),
        row.evidence());
  }
}
