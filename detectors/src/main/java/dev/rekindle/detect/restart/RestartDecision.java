package dev.rekindle.detect.restart;

import dev.rekindle.api.RestartInstruction;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.restart.JournalEntry.Mark;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Says what is to be done for an order. Pure functions of what is known. */
final class RestartDecision {
  private RestartDecision() {}

  /**
   * What is to be done now.
   *
   * @param pods the pods of this node, of any job
   * @param notes what was done for this order before, by the UID of the pod
   * @param stuck whether the order cannot be carried out here: then nothing more is frozen or
   *     restarted, and what is frozen waits for the pod's deletion, the withdrawal or the time
   */
  static List<RestartAction> decide(
      Order order,
      Collection<TrainingPod> pods,
      Map<String, JournalEntry> notes,
      boolean stuck,
      Instant now) {
    if (order.instruction() == RestartInstruction.LOOK && notes.isEmpty()) {
      return List.of();
    }
    List<RestartAction> acts = new ArrayList<>();
    var gang =
        pods.stream().filter(order::isFor).collect(Collectors.toMap(TrainingPod::uid, pod -> pod));
    for (var note : notes.values()) {
      // The object is gone, the processes may not be: they must not be thawed.
      if (!gang.containsKey(note.podUid()) && note.isHeld()) {
        acts.add(kill(note, now));
      }
    }
    gang.values().stream()
        .sorted(leaderFirst(order))
        .forEach(
            pod -> {
              var note = Optional.ofNullable(notes.get(pod.uid()));
              if (note.isPresent() || !order.isReplacement(pod)) {
                act(order, pod, note, stuck, now).ifPresent(acts::add);
              }
            });
    return acts;
  }

  /** What is to be done with a container whose order is gone. */
  static Optional<RestartAction> withdrawn(
      JournalEntry note, Optional<TrainingPod> pod, Instant now) {
    if (!note.isHeld()) {
      return Optional.empty();
    }
    var wakes = note.mark() != Mark.KILLING && pod.isPresent() && !pod.get().deleting();
    return Optional.of(wakes ? new RestartAction.Thaw(note) : kill(note, now));
  }

  private static Comparator<TrainingPod> leaderFirst(Order order) {
    return Comparator.comparing((TrainingPod pod) -> !pod.uid().equals(order.leaderUid()))
        .thenComparing(TrainingPod::name);
  }

  private static RestartAction kill(JournalEntry note, Instant now) {
    return new RestartAction.Kill(note.with(Mark.KILLING, now));
  }

  private static Optional<RestartAction> act(
      Order order, TrainingPod pod, Optional<JournalEntry> note, boolean stuck, Instant now) {
    if (pod.deleting()) {
      return terminating(order, pod, note, stuck, now);
    }
    if (note.isPresent() && note.get().mark() == Mark.KILLING) {
      return Optional.of(kill(note.get(), now));
    }
    if (order.isOver(now)) {
      return note.filter(JournalEntry::isHeld).map(RestartAction.Thaw::new);
    }
    if (stuck || note.filter(known -> known.mark() == Mark.THAWED).isPresent()) {
      return Optional.empty();
    }
    return switch (order.instruction()) {
      case LOOK -> Optional.empty();
      case FREEZE -> freeze(order, pod, note, now);
      case RESTART_LEADER ->
          pod.uid().equals(order.leaderUid()) && note.isPresent()
              ? restart(order, pod, note.get(), now)
              : freeze(order, pod, note, now);
      case RESTART_ALL -> note.flatMap(known -> restart(order, pod, known, now));
    };
  }

  /** It is about to end; a frozen process would take no signal, and a thawed one would train on. */
  private static Optional<RestartAction> terminating(
      Order order, TrainingPod pod, Optional<JournalEntry> note, boolean stuck, Instant now) {
    if (note.isPresent() && note.get().isHeld()) {
      return Optional.of(kill(note.get(), now));
    }
    if (stuck || order.isOver(now) || order.instruction() == RestartInstruction.RESTART_ALL) {
      return Optional.empty();
    }
    if (note.isEmpty() && !pod.container().running()) {
      return Optional.of(new RestartAction.Remember(JournalEntry.of(order, pod, Mark.IDLE, now)));
    }
    if (note.isEmpty()
        || (note.get().mark() == Mark.IDLE && note.get().isReplacedBy(pod.container()))) {
      return Optional.of(new RestartAction.Kill(JournalEntry.of(order, pod, Mark.KILLING, now)));
    }
    return Optional.empty();
  }

  private static Optional<RestartAction> freeze(
      Order order, TrainingPod pod, Optional<JournalEntry> note, Instant now) {
    var container = pod.container();
    if (note.isEmpty()) {
      return Optional.of(
          container.running()
              ? new RestartAction.Freeze(JournalEntry.of(order, pod, Mark.FREEZING, now))
              : new RestartAction.Remember(JournalEntry.of(order, pod, Mark.IDLE, now)));
    }
    return switch (note.get().mark()) {
      case FREEZING, FROZEN, IDLE -> {
        if (note.get().isReplacedBy(container)) {
          yield Optional.of(
              new RestartAction.Freeze(JournalEntry.of(order, pod, Mark.FREEZING, now)));
        }
        yield note.filter(known -> known.mark() == Mark.FREEZING).map(RestartAction.Freeze::new);
      }
      case KILLING, KILLED, THAWED -> Optional.empty();
    };
  }

  private static Optional<RestartAction> restart(
      Order order, TrainingPod pod, JournalEntry note, Instant now) {
    return switch (note.mark()) {
      case FREEZING, FROZEN, KILLING -> {
        // Started before the word to restart was carried out: it has met the old generation.
        var newest =
            note.mark() != Mark.KILLING && note.isReplacedBy(pod.container())
                ? JournalEntry.of(order, pod, Mark.KILLING, now)
                : note;
        yield Optional.of(kill(newest, now));
      }
      // What has come since may be as old as the word to freeze, and has met the old generation.
      case IDLE ->
          Optional.of(
              note.isReplacedBy(pod.container())
                  ? kill(JournalEntry.of(order, pod, Mark.KILLING, now), now)
                  : new RestartAction.Remember(note.with(Mark.KILLED, now)));
      case KILLED, THAWED -> Optional.empty();
    };
  }
}
