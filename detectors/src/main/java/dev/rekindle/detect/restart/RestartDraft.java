package dev.rekindle.detect.restart;

import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.restart.JournalEntry.Mark;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Says what a RestartReport is to say, and whether it is news. Pure functions. */
public final class RestartDraft {
  /** Longer than this no freeze may take: the controller waits ten seconds by default. */
  public static final Duration FREEZE = Duration.ofSeconds(5);

  /** Longer than this no kill may take. */
  public static final Duration KILL = Duration.ofSeconds(10);

  private RestartDraft() {}

  /** Why an order cannot be carried out, as the notes and pods show it; empty when it can. */
  static String problem(
      Order order, Collection<TrainingPod> pods, Map<String, JournalEntry> notes, Instant now) {
    for (var pod : originals(order, pods, notes)) {
      var note = notes.get(pod.uid());
      if (note == null) {
        if (order.instruction() == RestartInstruction.RESTART_ALL && !pod.deleting()) {
          return "pod " + pod.name() + " was never frozen for this order";
        }
        continue;
      }
      if (note.mark() == Mark.FREEZING && note.since().plus(FREEZE).isBefore(now)) {
        return "not all processes of container "
            + note.container()
            + " of pod "
            + pod.name()
            + " could be found and frozen within "
            + FREEZE.toSeconds()
            + " s";
      }
      if (note.mark() == Mark.KILLING && note.since().plus(KILL).isBefore(now)) {
        return "not all processes of container "
            + note.container()
            + " of pod "
            + pod.name()
            + " could be found and killed within "
            + KILL.toSeconds()
            + " s";
      }
      if (order.instruction() == RestartInstruction.RESTART_ALL && !pod.deleting()) {
        if (note.mark() == Mark.THAWED) {
          return "pod " + pod.name() + " was thawed, as the time of the order was over";
        }
        if (pod.finished()) {
          return "pod " + pod.name() + " has ended; no container of it starts again";
        }
      }
    }
    return "";
  }

  /** The last instruction that is carried out; absent when not even the first one is. */
  static @Nullable RestartInstruction done(
      Order order, Collection<TrainingPod> pods, Map<String, JournalEntry> notes) {
    var originals = originals(order, pods, notes);
    var leader = notes.get(order.leaderUid());
    var leaderDone = leader != null && leader.mark() == Mark.KILLED;
    if (originals.isEmpty()) {
      return order.instruction() == RestartInstruction.RESTART_LEADER && leaderDone
          ? RestartInstruction.RESTART_LEADER
          : null;
    }
    for (var pod : originals) {
      var note = notes.get(pod.uid());
      // A terminating pod is done with only when nothing of it is left.
      if (note == null
          || note.mark() == Mark.FREEZING
          || note.mark() == Mark.THAWED
          || (note.mark() == Mark.KILLING && note.how().isEmpty())) {
        return null;
      }
    }
    return switch (order.instruction()) {
      case LOOK -> null;
      case FREEZE -> RestartInstruction.FREEZE;
      case RESTART_LEADER ->
          leaderDone ? RestartInstruction.RESTART_LEADER : RestartInstruction.FREEZE;
      case RESTART_ALL -> {
        var staying = originals.stream().filter(pod -> !pod.deleting()).toList();
        yield !staying.isEmpty()
                && staying.stream().allMatch(pod -> isRestarted(pod, notes.get(pod.uid())))
            ? RestartInstruction.RESTART_ALL
            : null;
      }
    };
  }

  /** What became of each pod that is worked on. */
  static List<PodRestart> pods(
      Order order, Collection<TrainingPod> pods, Map<String, JournalEntry> notes) {
    List<PodRestart> all = new ArrayList<>();
    for (var pod : originals(order, pods, notes)) {
      var note = notes.get(pod.uid());
      if (note == null || note.mark() == Mark.FREEZING) {
        continue;
      }
      var state =
          switch (note.mark()) {
            case FREEZING, FROZEN, KILLING -> State.FROZEN;
            case KILLED, IDLE -> isRestarted(pod, note) ? State.RESTARTED : State.KILLED;
            case THAWED -> State.THAWED;
          };
      all.add(
          new PodRestart(
              note.pod(), note.podUid(), note.container(), note.restartCount(), note.how(), state));
    }
    return all;
  }

  /**
   * Whether a report says more than the one before: another instruction, a problem, or another
   * container. That single pods come and go on the way is no news: one write per instruction.
   */
  static boolean isNews(Order order, @Nullable RestartReportSpec before, RestartReportSpec report) {
    if (before == null) {
      return report.done() != null
          || !report.problem().isEmpty()
          || report.pods().stream().anyMatch(pod -> pod.state() == State.THAWED);
    }
    if (!report.problem().equals(before.problem()) || isLater(report.done(), before.done())) {
      return true;
    }
    return order.instruction() != RestartInstruction.RESTART_ALL
        && report.done() != null
        && report.pods().stream().anyMatch(pod -> !isReported(before, pod));
  }

  private static boolean isReported(RestartReportSpec before, PodRestart pod) {
    return before.pods().stream()
        .anyMatch(
            old ->
                old.podUid().equals(pod.podUid())
                    && old.containerId().equals(pod.containerId())
                    && (pod.state() != State.THAWED || old.state() == State.THAWED));
  }

  /** Whether one instruction comes after another; none comes before all. */
  static boolean isLater(@Nullable RestartInstruction one, @Nullable RestartInstruction other) {
    return one != null && (other == null || one.compareTo(other) > 0);
  }

  private static boolean isRestarted(TrainingPod pod, @Nullable JournalEntry note) {
    return note != null
        && (note.mark() == Mark.KILLED || note.mark() == Mark.IDLE)
        && note.isReplacedBy(pod.container());
  }

  private static List<TrainingPod> originals(
      Order order, Collection<TrainingPod> pods, Map<String, JournalEntry> notes) {
    return pods.stream()
        .filter(order::isFor)
        .filter(pod -> notes.containsKey(pod.uid()) || !order.isReplacement(pod))
        .sorted(Comparator.comparing(TrainingPod::name))
        .toList();
  }

  /** A mark for what a stored report says of a container. */
  static JournalEntry recall(Order order, PodRestart reported, Instant now) {
    var mark =
        switch (reported.state()) {
          case FROZEN -> Mark.FROZEN;
          case KILLED -> reported.containerId().isEmpty() ? Mark.IDLE : Mark.KILLED;
          case RESTARTED -> Mark.KILLED;
          case THAWED -> Mark.THAWED;
        };
    return new JournalEntry(
        order.uid(),
        order.until(),
        reported.pod(),
        reported.podUid(),
        reported.containerId(),
        reported.restartCount(),
        reported.how(),
        mark,
        now);
  }
}
