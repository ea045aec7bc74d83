package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.controller.diagnosis.NodeVerdicts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.placement.Exclusions;
import dev.rekindle.controller.recovery.Decision.Note;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Phase Fencing: every node of the cause whose fault stands is cordoned before any pod is deleted,
 * unless the breaker forbids.
 */
final class Fencing {
  private Fencing() {}

  static Decision decide(RecoverySnapshot s, Policy policy, Instant now) {
    Optional<Decision> learnt = CauseUpdates.learnFaults(s, now);
    if (learnt.isPresent()) {
      return learnt.get();
    }
    List<String> faulty = stillFaulty(s);
    List<String> toCordon = faulty.stream().filter(n -> isSchedulable(s, n)).toList();
    if (toCordon.isEmpty()) {
      List<Note> notes =
          faulty.stream()
              .filter(n -> s.nodes().containsKey(n) && leftTo(s, n).isEmpty())
              .map(n -> new Note(Reason.NODE_FENCED, fenceReason(s, n), n))
              .toList();
      return new Decision.Move(
          RecoveryStatusBuilder.enter(
              Transitions.status(s), RecoveryPhase.DRAINING, describeFences(s, faulty), now),
          notes);
    }
    if (!mayFence(s)) {
      return Transitions.enter(
          s, RecoveryPhase.DRAINING, "not fenced, as the job does not ask for it any more", now);
    }
    Set<String> fenced =
        s.nodes().values().stream()
            .filter(NodeView::fencedByUs)
            .map(NodeView::name)
            .collect(Collectors.toCollection(TreeSet::new));
    List<Effect> cordons = new ArrayList<>();
    for (String node : toCordon) {
      FenceLimit limit =
          FenceLimit.of(
              policy, s.nodes().values(), node, namespaces(s, node, policy.approval(), now), now);
      Optional<String> passed = limit.passed(fenced, node);
      if (passed.isPresent()) {
        return held(
            s,
            "%d nodes are fenced, %d more would pass the limit of %s; release one or raise it"
                .formatted(
                    s.nodes().values().stream().filter(NodeView::fencedByUs).count(),
                    toCordon.size(),
                    passed.get()),
            now);
      }
      fenced.add(node);
      cordons.add(new Effect.Cordon(node, fenceReason(s, node), limit));
    }
    return new Decision.Act(cordons, Transitions.SOON);
  }

  /** What a restart in place that was given up has left frozen is thawed while nothing goes on. */
  private static Decision held(RecoverySnapshot s, String why, Instant now) {
    Decision hold = heldAnew(s, why, now);
    return hold instanceof Decision.Wait
            && s.order() != null
            && s.failures().mayAsk(CallKind.WITHDRAW, now)
        ? new Decision.Act(List.of(new Effect.Withdraw(s.order().name())), Transitions.LATER)
        : hold;
  }

  /**
   * Whether nodes may be fenced for it: not for a job that has opted out, or whose policy is gone,
   * since it was suspended. It is brought back, and kept off what is faulty, all the same.
   */
  static boolean mayFence(RecoverySnapshot s) {
    return s.job() == null || s.job().handsOff().isEmpty();
  }

  /** The namespaces whose programs are all there is against the node. */
  private static Set<String> namespaces(
      RecoverySnapshot s, String node, Duration approval, Instant now) {
    return NodeVerdicts.namespaces(
        s.nodes().get(node),
        s.faults().stream().filter(f -> f.fences() && f.node().equals(node)).toList(),
        approval,
        now);
  }

  /**
   * The breaker had no place for a node, though the nodes seen with our mark were few enough:
   * others fence at this moment, or a place was not given back yet. It is tried again, without
   * haste.
   */
  static Decision breakerFull(RecoverySnapshot s, String why, Instant now) {
    return heldAnew(s, "%s; release one or raise the limit".formatted(why), now);
  }

  /**
   * The hold. A gang that was being frozen for another node thaws, and what its kubelets and agents
   * do meanwhile is not known: the way is chosen again when the recovery continues.
   */
  private static Decision heldAnew(RecoverySnapshot s, String why, Instant now) {
    Decision hold = Transitions.hold(s, HoldReason.BREAKER_OPEN, why, now);
    return InPlace.chosen(s) && hold instanceof Decision.Move(RecoveryStatus next, List<Note> notes)
        ? new Decision.Move(RecoveryStatusBuilder.withRestart(next, null, ""), notes)
        : hold;
  }

  /**
   * Nodes of the cause whose fault still stands. One that was repaired while the recovery waited is
   * not fenced: its fence would be lifted at once.
   */
  private static List<String> stillFaulty(RecoverySnapshot s) {
    return Transitions.cause(s).faultyNodes().stream()
        .filter(n -> Exclusions.faulty(n, s.faults()))
        .toList();
  }

  static boolean isSchedulable(RecoverySnapshot s, String node) {
    NodeView view = s.nodes().get(node);
    return view != null && !view.unschedulable() && !view.leftToOthers();
  }

  /** Who else is at work on the node, or has cordoned it; empty when there is none. */
  private static String leftTo(RecoverySnapshot s, String node) {
    NodeView view = s.nodes().get(node);
    return view == null ? "" : view.leftTo();
  }

  private static String describeFences(RecoverySnapshot s, List<String> faulty) {
    List<String> repaired =
        Transitions.cause(s).faultyNodes().stream().filter(n -> !faulty.contains(n)).toList();
    List<String> parts = new ArrayList<>();
    Set<String> there = s.nodes().keySet();
    List<String> ours =
        faulty.stream().filter(n -> there.contains(n) && leftTo(s, n).isEmpty()).toList();
    if (!ours.isEmpty()) {
      parts.add("cordoned: " + Names.of(ours));
    }
    List<String> others =
        faulty.stream()
            .filter(n -> there.contains(n) && !ours.contains(n))
            .map(n -> "%s is left to %s".formatted(n, leftTo(s, n)))
            .toList();
    if (!others.isEmpty()) {
      parts.add(Names.of(others));
    }
    List<String> gone = faulty.stream().filter(n -> !there.contains(n)).toList();
    if (!gone.isEmpty()) {
      parts.add("no longer there: " + Names.of(gone));
    }
    if (!repaired.isEmpty()) {
      parts.add("no fault that fences is left on " + Names.of(repaired));
    }
    return String.join("; ", parts);
  }

  private static String fenceReason(RecoverySnapshot s, String node) {
    Optional<FaultView> fault =
        s.faults().stream()
            .filter(f -> f.fences() && f.weight() != null && f.node().equals(node))
            .findFirst();
    if (fault.isPresent()) {
      return NodeVerdicts.reason(fault.get());
    }
    return Transitions.cause(s).evidence().stream()
        .filter(e -> e.node().equals(node) && e.pod().isEmpty())
        .findFirst()
        .map(Evidence::text)
        .orElse(Transitions.cause(s).message());
  }
}
