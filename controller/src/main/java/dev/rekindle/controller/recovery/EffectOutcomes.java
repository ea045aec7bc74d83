package dev.rekindle.controller.recovery;

import dev.rekindle.controller.port.ClusterGateway.BreakerFullException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The results of effects that were sent together. */
final class EffectOutcomes {
  record Failed(String object, RuntimeException error) {}

  private final Set<CallKind> done = EnumSet.noneOf(CallKind.class);
  private final List<Effect> accepted = new ArrayList<>();
  private final Map<CallKind, Failed> failed = new EnumMap<>(CallKind.class);
  private @Nullable BreakerFullException full;

  synchronized void done(Effect effect) {
    done.add(effect.kind());
    accepted.add(effect);
  }

  synchronized void done(CallKind kind) {
    done.add(kind);
  }

  synchronized void full(BreakerFullException error) {
    full = error;
  }

  synchronized void failed(CallKind kind, String object, RuntimeException error) {
    failed.putIfAbsent(kind, new Failed(object, error));
  }

  synchronized boolean mayGoOn() {
    return full == null && failed.keySet().stream().allMatch(CallKind::optional);
  }

  /** The kinds of the calls that succeeded. */
  synchronized Set<CallKind> done() {
    return EnumSet.copyOf(done);
  }

  /** The effects that were accepted. */
  synchronized List<Effect> accepted() {
    return List.copyOf(accepted);
  }

  /** The first failure of each kind. */
  synchronized Map<CallKind, Failed> failed() {
    return new EnumMap<>(failed);
  }

  /** What the breaker says, where it had no place for a node. */
  synchronized Optional<BreakerFullException> breakerFull() {
    return Optional.ofNullable(full);
  }
}
