package dev.rekindle.controller.fencing;

import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes about nodes, and those that the API server refuses. A refused write delays neither the
 * other writes of its node nor other nodes. It is repeated with growing pauses; a refusal that
 * lasts is reported in an event with the message of the server. A new process starts without
 * failures and repeats the write.
 */
public final class NodeWrites {
  private static final Logger LOG = LoggerFactory.getLogger(NodeWrites.class);
  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  /** A server that fails comes back by itself; a refusal needs a person. */
  private static final Duration LONGEST_UNANSWERED = Duration.ofSeconds(10);

  private static final Duration SAY_AGAIN = Duration.ofHours(1);

  /** A webhook may have had a bad moment. */
  private static final int REFUSALS = 3;

  /** An API server that is upgraded is away for less than that. */
  private static final Duration UNAVAILABLE = Duration.ofMinutes(3);

  /** What was not requested again for so long is wanted no more. */
  private static final Duration FORGOTTEN = Duration.ofMinutes(3);

  private static final int MAX_DOUBLINGS = 6;

  private final ClusterGateway gateway;
  private final Metrics metrics;
  private final InstantSource clock;
  private final Map<String, Map<String, Failure>> failures = new ConcurrentHashMap<>();

  /**
   * A write that failed each time.
   *
   * @param said when that was last said; absent when it was not
   */
  private record Failure(
      Instant since,
      Instant last,
      int times,
      boolean refused,
      Duration atLeast,
      @Nullable Instant said) {
    private Duration pause() {
      Duration longest = refused ? LONGEST : LONGEST_UNANSWERED;
      Duration pause = FIRST.multipliedBy(1L << Math.min(times - 1, MAX_DOUBLINGS));
      pause = pause.compareTo(longest) > 0 ? longest : pause;
      pause = pause.compareTo(atLeast) < 0 ? atLeast : pause;
      return pause.compareTo(LONGEST) > 0 ? LONGEST : pause;
    }

    /** A clock that was set back is no reason to wait. */
    private boolean due(Instant now) {
      return now.isBefore(last) || !now.isBefore(last.plus(pause()));
    }

    private boolean stands(Instant now) {
      return now.isBefore(last.plus(pause()).plus(FORGOTTEN));
    }

    private boolean lasts() {
      return refused
          ? times >= REFUSALS
          : Duration.between(since, last).compareTo(UNAVAILABLE) >= 0;
    }

    private boolean reportedLately(Instant now) {
      return said != null && Duration.between(said, now).abs().compareTo(SAY_AGAIN) < 0;
    }
  }

  /** Takes what it speaks through and the clock. */
  public NodeWrites(ClusterGateway gateway, Metrics metrics, InstantSource clock) {
    this.gateway = gateway;
    this.metrics = metrics;
    this.clock = clock;
  }

  /**
   * Makes a write, unless it failed a moment ago.
   *
   * @param what it is, for people: {@code cordon}; one name for one write of the node
   * @return whether it was made
   */
  public boolean ask(String node, String what, Runnable write) {
    Instant now = clock.instant();
    Failure before = failures.getOrDefault(node, Map.of()).get(what);
    if (before != null && !before.due(now)) {
      return false;
    }
    try {
      write.run();
      forget(node, what);
      return true;
    } catch (CallException failed) {
      failed(node, what, before, failed, clock.instant());
      return false;
    }
  }

  private void failed(
      String node, String what, @Nullable Failure before, CallException error, Instant now) {
    Failure standing = before != null && before.stands(now) ? before : null;
    Failure failure =
        new Failure(
            standing == null ? now : standing.since(),
            now,
            standing == null ? 1 : standing.times() + 1,
            error instanceof RefusedException,
            error instanceof UnavailableException busy ? busy.retryAfter() : Duration.ZERO,
            standing == null ? null : standing.said());
    String text = "%s: %s: %s".formatted(what, error.answer(), error.text());
    LOG.atWarn()
        .addKeyValue(LogKey.NODE.key(), node)
        .addKeyValue(LogKey.ACTION.key(), what)
        .addKeyValue(LogKey.STATUS.key(), error.status())
        .addKeyValue(LogKey.TIMES.key(), failure.times())
        .addKeyValue(LogKey.ERROR.key(), error.text())
        .log("Cannot write on a node; retrying");
    metrics.nodes().notWritten(error.answer());
    if (failure.lasts() && !failure.reportedLately(now)) {
      gateway.recordEvent(
          ClusterEvent.onNode(node, Reason.NODE_WRITE_REFUSED, text + "; it is tried again"));
      failure =
          new Failure(
              failure.since(), now, failure.times(), failure.refused(), failure.atLeast(), now);
    }
    Failure next = failure;
    var _ = failures.compute(node, (_, all) -> with(all, what, next));
  }

  private void forget(String node, String what) {
    var _ =
        failures.computeIfPresent(
            node,
            (_, all) -> {
              Map<String, Failure> next = new TreeMap<>(all);
              next.remove(what);
              return next.isEmpty() ? null : next;
            });
  }

  private static Map<String, Failure> with(
      @Nullable Map<String, Failure> all, String what, Failure failure) {
    Map<String, Failure> next = all == null ? new TreeMap<>() : new TreeMap<>(all);
    next.put(what, failure);
    return next;
  }

  /** After how long to reconcile the node again; empty when all its writes were made. */
  public Optional<Duration> again(String node) {
    if (failures.isEmpty()) {
      return Optional.empty();
    }
    Instant now = clock.instant();
    List<Failure> open =
        failures.getOrDefault(node, Map.of()).values().stream().filter(f -> f.stands(now)).toList();
    if (open.isEmpty()) {
      failures.remove(node);
    }
    return open.stream()
        .map(f -> f.due(now) ? FIRST : Duration.between(now, f.last().plus(f.pause())))
        .min(Duration::compareTo);
  }
}
