package dev.rekindle.page;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A recovery in a list.
 *
 * @param namespace its namespace
 * @param name its name
 * @param job its job
 * @param phase the phase's word
 * @param tone how it stands
 * @param reason the cause's word
 * @param nodes nodes that it is about
 * @param way how it restarts; may be empty
 * @param began when it was opened
 * @param downtimeSeconds from detection to the first new step; absent until known
 * @param lostGpuSeconds GPU time lost; absent until known
 * @param steps reached, resumed from, first after; may be empty
 */
public record RecoveryRow(
    String namespace,
    String name,
    String job,
    String phase,
    Tone tone,
    String reason,
    List<String> nodes,
    String way,
    Instant began,
    @Nullable Double downtimeSeconds,
    @Nullable Double lostGpuSeconds,
    String steps) {
  public RecoveryRow {
    nodes = List.copyOf(nodes);
  }

  /** The row of a recovery; one without a time is of the epoch. */
  public static RecoveryRow of(Recovery recovery) {
    Incident incident = new Incident(recovery, List.of(), Instant.EPOCH);
    RecoveryStatus status = incident.status();
    RecoveryStatus.Outcome outcome = status.outcome();
    return new RecoveryRow(
        incident.namespace(),
        incident.name(),
        VisibleText.of(incident.spec().job()),
        status.phase() == null ? "Opened" : status.phase().word(),
        Tone.of(status.phase()),
        VisibleText.of(status.cause() == null ? "" : status.cause().reason()),
        Incident.nodes(recovery).stream().map(VisibleText::of).toList(),
        status.plan() == null || status.plan().restart() == null
            ? ""
            : status.plan().restart().word(),
        incident.began(),
        outcome == null ? null : outcome.downtimeSeconds(),
        outcome == null ? null : outcome.lostGpuSeconds(),
        steps(status));
  }

  private static String steps(RecoveryStatus status) {
    Long last = status.cause() == null ? null : status.cause().lastStep();
    Long resumed = status.outcome() == null ? null : status.outcome().resumedStep();
    Long first = status.outcome() == null ? null : status.outcome().firstStepAfter();
    return resumed == null && first == null
        ? step(last)
        : step(last) + "→" + step(resumed) + "→" + step(first);
  }

  private static String step(@Nullable Long step) {
    return step == null ? "?" : step.toString();
  }

  boolean held() {
    return phase.equals(RecoveryPhase.HELD.word());
  }

  /** Whether it is not over. */
  public boolean open() {
    return tone == Tone.UNDER_WAY || tone == Tone.WAITING;
  }

  String beganText() {
    return Figures.moment(began);
  }

  String downtime() {
    return Optional.ofNullable(downtimeSeconds).map(Figures::time).orElse("");
  }

  String cost() {
    return Optional.ofNullable(lostGpuSeconds).map(Figures::gpuTime).orElse("");
  }
}
