package dev.rekindle.controller.recovery;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.controller.model.Inspection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Whether a job fails again and again from the same checkpoints. A cycle is one start of the gang
 * from a pinned checkpoint and the failure after it, in one recovery or across several. It counts
 * when the gang made no step that the job had not made before, no matter who restarted it, and
 * nothing but the program or its checkpoint explains the failure: no faulty or silent node, no
 * stall, no exit code by which the script asks to be run again.
 *
 * <p>What follows: after one cycle the gang is kept off the node that failed first; after two, or
 * at once where the checkpoint itself did not load or gave NaN, the checkpoint is used up and an
 * older one is taken; after two of them nothing is tried any more. A step that was never made
 * before ends the count.
 *
 * <p>A script that was given no checkpoint takes the newest one. Where that one did not load, or
 * gave NaN, its step is known once a scan is there whose newest checkpoint appears whole. While no
 * scan is there the script chooses by itself, until two of its gangs have shown that what it takes
 * is no good, or four have failed without a new step: as many as get a pinned checkpoint (seed
 * 50006). Then all four count for that newest one (seed 94033384).
 *
 * @param cycles those that count, oldest first
 * @param unpinned failed attempts of a script that was given no checkpoint; none of them once a
 *     gang has trained
 */
record CrashLoop(List<Cycle> cycles, List<ResumeAttempt> unpinned) {
  /** So many cycles on one checkpoint, at most. */
  static final int MOST_CYCLES = 2;

  /** So many checkpoints are given up, at most: the cause is not a checkpoint then. */
  static final int MOST_SPENT = 2;

  /**
   * One start of the gang from a checkpoint and what came of it.
   *
   * @param step step of the checkpoint
   * @param condemns whether it shows by itself that the checkpoint is no good
   * @param spreads whether what was saved after it is no good either: NaN stays NaN
   * @param settled whether the gang has trained from an older checkpoint since: those given up are
   *     known by their time then, and those of the same steps may be good again
   * @param node where the failure showed first; empty where no node has to do with it
   * @param what one sentence
   */
  record Cycle(
      long step, boolean condemns, boolean spreads, boolean settled, String node, String what) {
    private boolean speaksAgainst(long other) {
      return !settled && (step == other || (spreads && other > step));
    }

    Cycle settledBy(long trained) {
      return condemns && trained < step ? new Cycle(step, true, spreads, true, node, what) : this;
    }
  }

  CrashLoop {
    cycles = List.copyOf(cycles);
    unpinned = List.copyOf(unpinned);
  }

  /** What the recovery and those before it show. */
  static CrashLoop of(RecoverySnapshot s) {
    List<RecoveryStatus> all = new ArrayList<>(s.history());
    all.add(Transitions.status(s));
    return of(all).taking(s.inspection());
  }

  /**
   * What recoveries of one job show.
   *
   * @param recoveries oldest first, the present one last
   */
  static CrashLoop of(List<RecoveryStatus> recoveries) {
    return CrashCycles.read(recoveries);
  }

  /** The same, with what was taken without a pin known by its step where the scan shows it. */
  private CrashLoop taking(Inspection inspection) {
    if (unpinned.isEmpty() || !(inspection instanceof Inspection.Report report)) {
      return this;
    }
    List<Cycle> all = new ArrayList<>(cycles);
    boolean barred = barsOwnChoice().isPresent();
    unpinned.stream()
        .filter(a -> barred || a.result().condemns())
        .forEach(
            a ->
                CrashCycles.taken(report, a)
                    .ifPresent(step -> all.add(CrashCycles.cycle(step, a))));
    return new CrashLoop(all, unpinned);
  }

  /** Why the script may not choose by itself again; empty where it may. */
  Optional<String> barsOwnChoice() {
    long condemned = unpinned.stream().filter(a -> a.result().condemns()).count();
    return condemned < MOST_CYCLES && unpinned.size() < MOST_CYCLES * MOST_SPENT
        ? Optional.empty()
        : Optional.of(
            "the script chose its checkpoint %d times and failed, the last time: %s"
                .formatted(unpinned.size(), unpinned.getLast().detail()));
  }

  /** Whether the checkpoint of that step is not to be tried again. */
  boolean isSpent(long step) {
    return cycles.stream().anyMatch(c -> c.condemns() && c.speaksAgainst(step))
        || cycles.stream().filter(c -> c.step() == step && !c.settled()).count() >= MOST_CYCLES;
  }

  /** Steps of the checkpoints that are not to be tried again. */
  Set<Long> spent() {
    Set<Long> spent = new TreeSet<>();
    cycles.stream().map(Cycle::step).filter(this::isSpent).forEach(spent::add);
    return spent;
  }

  /** Whether nothing is to be tried any more. */
  boolean isHopeless() {
    long settled =
        cycles.stream()
            .filter(c -> c.settled() && !isSpent(c.step()))
            .map(Cycle::step)
            .distinct()
            .count();
    return spent().size() + settled >= MOST_SPENT;
  }

  /**
   * Why no gang is to be started from that checkpoint; empty where one may be. What is newer than
   * all that failed was saved since, and is given a try.
   */
  Optional<String> bars(PinnedCheckpoint pin) {
    if (pin.verdict() == CheckpointVerdict.UNKNOWN) {
      return barsOwnChoice();
    }
    Long step = pin.step();
    if (pin.verdict() != CheckpointVerdict.VALID || step == null) {
      return Optional.empty();
    }
    boolean older = spent().stream().anyMatch(s -> s > step);
    return isSpent(step) || (isHopeless() && older)
        ? Optional.of(
            "%s; no older checkpoint is tried: %s"
                .formatted(describe(), isHopeless() ? "the cause is another" : "there is none"))
        : Optional.empty();
  }

  /** Whether the pin is an older one for what happened. */
  boolean goesBackTo(PinnedCheckpoint pin) {
    Long step = pin.step();
    return step != null && spent().stream().anyMatch(s -> s > step);
  }

  /** Nodes on which a cycle failed first, sorted: another gang avoids them where there is room. */
  List<String> nodes() {
    return cycles.stream()
        .filter(c -> !c.condemns())
        .map(Cycle::node)
        .filter(node -> !node.isEmpty())
        .distinct()
        .sorted()
        .toList();
  }

  /** What has happened, for people; empty where no cycle counts. */
  String describe() {
    if (cycles.isEmpty()) {
      return "";
    }
    Cycle last = cycles.getLast();
    long same = cycles.stream().filter(c -> c.step() == last.step()).count();
    return "the job failed %s from the checkpoint of step %d without a new step, the last time: %s"
        .formatted(same == 1 ? "once" : same + " times", last.step(), last.what());
  }
}
