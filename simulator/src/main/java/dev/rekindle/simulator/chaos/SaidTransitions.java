package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryEvent;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 66: each Event that the status of a recovery names is written, whichever process ends
 * in between: before the status is written again, and after two minutes of calm in which a process
 * leads. Exceptions are Events of a leader that were refused or not answered, and clocks that have
 * stepped. Why: people and their tools follow a recovery by the Events of its job, and a leader
 * often ends just when an Event is due.
 */
final class SaidTransitions extends Check {
  private static final Duration BOUND = Duration.ofMinutes(2);

  /** What is older is not said any more; clocks of processes differ by some seconds. */
  private static final Duration YOUNG = Duration.ofMinutes(14);

  private final BooleanSupplier led;

  /** By Event, of which recovery it is, and since when it is due. */
  private final Map<ClusterEvent, Due> due = new HashMap<>();

  private @Nullable Instant ledSince;

  /** Another recovery may have the same name, once its namespace was deleted. */
  private record Due(String recovery, String uid, Instant since) {}

  SaidTransitions(World world, Invariants all, BooleanSupplier led) {
    super(world, all, Invariant.SAID_TRANSITIONS);
    this.led = led;
  }

  @Override
  public void unannounced(ClusterEvent said) {
    due.remove(said);
  }

  @Override
  public void removed(RecoveryObject recovery) {
    due.values().removeIf(d -> d.uid().equals(recovery.meta().uid()));
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    String key = before.meta().key();
    tidy();
    due.forEach(
        (event, d) -> {
          if (d.uid().equals(before.meta().uid())) {
            broken(unsaid(event, d) + ", and its status is written again");
          }
        });
    List<RecoveryEvent> known =
        before.status() == null ? List.of() : before.status().recentEvents();
    if (after != null && !clocksWereWrong()) {
      after.recentEvents().stream()
          .filter(event -> !known.contains(event))
          .flatMap(event -> event(before, event).stream())
          .forEach(event -> due.put(event, new Due(key, before.meta().uid(), now())));
    }
  }

  /** As it is to be written; empty where the status has cut it. */
  private static Optional<ClusterEvent> event(RecoveryObject recovery, RecoveryEvent event) {
    JobKey job = recovery.view().job();
    return event.note().length() > 1_000
        ? Optional.empty()
        : Reason.of(event.reason())
            .map(
                reason ->
                    new ClusterEvent(
                        job,
                        recovery.spec().jobUid(),
                        reason,
                        recovery.meta().name() + ": " + event.note(),
                        event.node()));
  }

  private void tidy() {
    if (clocksWereWrong()) {
      due.clear();
    }
    due.entrySet()
        .removeIf(
            d ->
                world.isWritten(d.getKey())
                    || d.getValue().since().plus(YOUNG).isBefore(now())
                    || isGone(d.getValue()));
  }

  private boolean isGone(Due d) {
    return world
        .recoveries()
        .find(d.recovery())
        .filter(recovery -> recovery.meta().uid().equals(d.uid()))
        .isEmpty();
  }

  @Override
  void look() {
    tidy();
    if (!led.getAsBoolean()) {
      ledSince = null;
      return;
    }
    ledSince = ledSince == null ? now() : ledSince;
    due.forEach(
        (event, d) -> {
          Instant from = d.since().isBefore(ledSince) ? ledSince : d.since();
          if (from.plus(BOUND).isBefore(now())) {
            broken(unsaid(event, d));
          }
        });
  }

  private static String unsaid(ClusterEvent event, Due due) {
    return "recovery %s names the Event %s since %s, and it is not there: %s"
        .formatted(due.recovery(), event.reason().word(), due.since(), event.note());
  }

  @Override
  boolean isWaiting() {
    return !due.isEmpty();
  }
}
