package dev.rekindle.controller.notification;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.RecoveryView;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Recoveries that went through phases, one a second from {@link Given#T0}. */
public final class Stories {
  private static final Cause CAUSE =
      new Cause(
          "XID-79",
          "GPU 0 of node-1 fell off the bus",
          List.of(),
          List.of("node-1"),
          List.of(),
          List.of(),
          null);

  private Stories() {}

  /** One that entered these phases. */
  public static RecoveryView of(String name, RecoveryPhase... phases) {
    return of(name, List.of(), phases);
  }

  /** One that is held. */
  public static RecoveryView held(String name, String reason) {
    Condition condition =
        new ConditionBuilder()
            .withType("Progressing")
            .withStatus("False")
            .withReason(reason)
            .build();
    return of(name, List.of(condition), RecoveryPhase.DETECTED, RecoveryPhase.HELD);
  }

  private static RecoveryView of(String name, List<Condition> conditions, RecoveryPhase... phases) {
    List<TimelineEntry> timeline = new ArrayList<>();
    for (RecoveryPhase phase : phases) {
      Instant time = Given.T0.plusSeconds(timeline.size());
      timeline.add(new TimelineEntry(phase, time, "step " + timeline.size()));
    }
    RecoveryStatus status =
        new RecoveryStatus(
            phases[phases.length - 1], Given.T0, 1, null, CAUSE, null, null, timeline, conditions);
    return Given.recovery(name, Given.T0, status);
  }
}
