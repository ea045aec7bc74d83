package dev.rekindle.console;

import dev.rekindle.page.PolicyRow;
import io.micronaut.serde.annotation.Serdeable;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A policy in the JSON interface.
 *
 * @param name its name
 * @param problem why it is not used; empty where it is
 * @param mode upper bound on what is done
 * @param paused whether nothing new is begun
 * @param windows when a gang that trains may be stopped, as text; none: at any time
 * @param windowOpen whether it may be stopped now
 * @param windowOpens when a window opens next, RFC 3339; absent where there are none
 * @param windowCloses when the one ends that is open now, RFC 3339; absent where none is
 * @param approvalSeconds how long an approval is good
 * @param prices what an hour of a GPU costs, as text
 */
@Serdeable.Serializable
record PolicyItem(
    String name,
    String problem,
    String mode,
    boolean paused,
    List<String> windows,
    boolean windowOpen,
    @Nullable String windowOpens,
    @Nullable String windowCloses,
    int approvalSeconds,
    List<String> prices) {
  static PolicyItem of(PolicyRow row) {
    return new PolicyItem(
        row.name(),
        row.usable(),
        row.mode(),
        row.paused(),
        row.windows(),
        row.open(),
        text(row.opens()),
        text(row.closes()),
        row.approval(),
        row.prices());
  }

  private static @Nullable String text(@Nullable Instant at) {
    return Optional.ofNullable(at).map(Instant::toString).orElse(null);
  }
}
