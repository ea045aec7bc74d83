package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.phase;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.FormerRun;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.controller.diagnosis.DeviceOwners;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.PodView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Adds to the cause of a recovery what is found out after it was opened. */
final class CauseUpdates {
  private CauseUpdates() {}

  /**
   * Faults that came to light since: several of one burst are one recovery. A node that was
   * released after its repair and is faulty again counts like any other.
   */
  static Optional<Decision> learnFaults(RecoverySnapshot s, Instant now) {
    List<String> podNodes = s.pods().stream().map(PodView::node).toList();
    boolean fencing = phase(s) == RecoveryPhase.FENCING;
    List<FaultView> fresh =
        DeviceOwners.concerning(s.pods(), s.faults()).stream()
            .filter(f -> f.fences() && podNodes.contains(f.node()))
            .filter(
                f ->
                    !cause(s).faultyNodes().contains(f.node())
                        || (!fencing && Fencing.mayFence(s) && Fencing.isSchedulable(s, f.node())))
            .toList();
    if (fresh.isEmpty()) {
      return Optional.empty();
    }
    FaultView first = fresh.getFirst();
    String detail = "also %s on node %s".formatted(first.code(), first.node());
    RecoveryStatus next = status(s).withCause(addFaults(cause(s), fresh));
    boolean known = fresh.stream().anyMatch(f -> cause(s).faultyNodes().contains(f.node()));
    if (!known && !addsNames(cause(s).faultyNodes(), cause(next).faultyNodes())) {
      return Optional.empty();
    }
    return Optional.of(
        new Decision.Move(
            RecoveryStatusBuilder.enter(next, RecoveryPhase.FENCING, detail, now), List.of()));
  }

  /**
   * Whether names were added: what has no place in an object must not be learnt again and again.
   */
  static boolean addsNames(List<String> before, List<String> after) {
    return after.size() > before.size();
  }

  static Cause addFaults(Cause cause, List<FaultView> faults) {
    List<Evidence> evidence = new ArrayList<>(cause.evidence());
    for (FaultView fault : faults) {
      if (evidence.size() < 8) {
        evidence.add(Evidence.onNode(fault.node(), fault.evidence()));
      }
    }
    List<String> added = faults.stream().map(FaultView::node).toList();
    Cause sorted =
        cause.with(
            b ->
                b.evidence(List.copyOf(evidence))
                    .faultyNodes(together(cause.faultyNodes(), added, true)));
    return sorted.faultyNodes().containsAll(cause.faultyNodes())
        ? sorted
        : sorted.withFaultyNodes(together(cause.faultyNodes(), added, false));
  }

  static Cause addSilent(Cause cause, List<String> silent) {
    Cause sorted = cause.withSilentNodes(together(cause.silentNodes(), silent, true));
    return sorted.silentNodes().containsAll(cause.silentNodes())
        ? sorted
        : cause.withSilentNodes(together(cause.silentNodes(), silent, false));
  }

  /** An object holds only so many names: of too many those stay that were there before. */
  private static List<String> together(List<String> before, List<String> added, boolean sorted) {
    Stream<String> all = Stream.concat(before.stream(), added.stream().sorted()).distinct();
    return (sorted ? all.sorted() : all).toList();
  }

  /**
   * The same decision; where it writes the status anyway, with the newest step that was seen. The
   * step reached is the newest one until the drain is over: what is trained until then is lost as
   * well. A process that dies in the middle forgets what it has seen, and reports go with their
   * pods.
   */
  static Decision withReached(RecoverySnapshot s, Decision decision) {
    Long step = s.reached();
    if (step == null
        || !(decision instanceof Decision.Move(RecoveryStatus next, List<Decision.Note> notes))
        || Objects.requireNonNull(next.phase()).isTerminal()) {
      return decision;
    }
    Cause reached = differing(reached(cause(next), step), s);
    return reached.equals(next.cause())
        ? decision
        : new Decision.Move(next.withCause(reached), notes);
  }

  /**
   * A recovery may begin before the first step, and be held while the gang trains: that its ranks
   * differ about the loss is seen only then (seed 95315985).
   */
  private static Cause differing(Cause cause, RecoverySnapshot s) {
    FormerRun before = cause.before();
    return before == null
            || before.lossesDiffer() != null
            || !GangProgress.of(s.pods(), s.ranks()).lossesDiffer()
        ? cause
        : cause.withBefore(
            new FormerRun(
                before.created(),
                before.firstStepTime(),
                before.saves(),
                before.sawSteps(),
                before.network(),
                Boolean.TRUE));
  }

  private static Cause reached(Cause cause, long step) {
    Long last = cause.lastStep();
    return last == null || step > last ? cause.withLastStep(step) : cause;
  }
}
