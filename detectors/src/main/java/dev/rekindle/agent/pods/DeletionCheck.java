package dev.rekindle.agent.pods;

import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks of each pod that has left the watch whether it is gone. A watch by labels ends for a pod
 * that loses its label as it does for one that is deleted, and what follows from the second is that
 * processes are killed. Until the API server has said so, the pod counts as there. Used by one
 * thread.
 */
public final class DeletionCheck {
  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final Duration LAST = Duration.ofMinutes(1);

  /** Pods about which it is asked; of the namespace with the most of them none is added then. */
  static final int MOST = 256;

  private static final Logger LOG = LoggerFactory.getLogger(DeletionCheck.class);

  /** What the API server says of a pod. */
  public enum Answer {
    /** No pod of that name and UID is there. */
    GONE,
    /** It is there, whatever its labels are. */
    THERE,
    /** Nothing of that pod, and may be something of others: it may not be asked about this one. */
    REFUSED,
    /** Nothing. */
    NONE
  }

  private record Question(Instant next, Duration pause) {}

  private final Supplier<List<TrainingPod>> left;
  private final Supplier<Collection<TrainingPod>> seen;
  private final Function<TrainingPod, Answer> ask;
  private final SteadyClock clock;
  private final Map<TrainingPod, Question> open = new LinkedHashMap<>();
  private Instant quiet = Instant.MIN;

  /**
   * Nothing has left yet.
   *
   * @param left gives each pod that has left the watch once, as last seen
   * @param seen the pods that the watch shows
   * @param clock by which questions are repeated: set back, one of the wall would keep processes of
   *     deleted pods alive for as long
   */
  public DeletionCheck(
      Supplier<List<TrainingPod>> left,
      Supplier<Collection<TrainingPod>> seen,
      Function<TrainingPod, Answer> ask,
      SteadyClock clock) {
    this.left = left;
    this.seen = seen;
    this.ask = ask;
    this.clock = clock;
  }

  /** Pods that are gone; each is given once. */
  public List<TrainingPod> take() {
    var now = clock.instant();
    for (var pod : left.get()) {
      // Of a pod that never ran here nothing is left to be ended, and there may be thousands.
      if (!pod.container().id().isEmpty() && makeRoom(pod)) {
        open.put(pod, new Question(now, FIRST));
      }
    }
    if (open.isEmpty() || now.isBefore(quiet)) {
      return List.of();
    }
    var back = seen.get().stream().map(TrainingPod::uid).collect(Collectors.toSet());
    open.keySet().removeIf(pod -> back.contains(pod.uid()));
    List<TrainingPod> gone = new ArrayList<>();
    for (var pod : List.copyOf(open.keySet())) {
      var question = open.get(pod);
      if (question == null || now.isBefore(question.next())) {
        continue;
      }
      var answer = answer(pod);
      if (answer == Answer.GONE) {
        open.remove(pod);
        gone.add(pod);
        continue;
      }
      // Behind the others: what is never answered would else be asked first each time.
      open.remove(pod);
      open.put(pod, later(pod, question, answer, now));
      if (answer == Answer.NONE) {
        // Others would wait as long for nothing, and so would all else that this thread does.
        quiet = now.plus(question.pause());
        break;
      }
    }
    return gone;
  }

  /**
   * An answer that makes no sense is none: whatever it throws, the round of this thread goes on.
   */
  private Answer answer(TrainingPod pod) {
    try {
      return ask.apply(pod);
    } catch (RuntimeException e) {
      LOG.atWarn()
          .addKeyValue(LogKey.NAMESPACE.key(), pod.namespace())
          .addKeyValue(LogKey.POD.key(), pod.name())
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("Cannot check whether a pod is deleted; retrying");
      return Answer.NONE;
    }
  }

  /** Pods that lose their label stay for as long as their owner likes, and may be hundreds. */
  private boolean makeRoom(TrainingPod pod) {
    if (open.size() < MOST) {
      return true;
    }
    Map<String, Integer> counts = new HashMap<>();
    open.keySet().forEach(one -> counts.merge(one.namespace(), 1, Integer::sum));
    var most = Collections.max(counts.entrySet(), Map.Entry.comparingByValue());
    if (counts.getOrDefault(pod.namespace(), 0) + 1 >= most.getValue()) {
      return false;
    }
    var last =
        open.keySet().stream()
            .filter(one -> one.namespace().equals(most.getKey()))
            .reduce((_, second) -> second);
    last.ifPresent(open::remove);
    return true;
  }

  private static Question later(TrainingPod pod, Question before, Answer answer, Instant now) {
    if (before.pause().equals(FIRST)) {
      LOG.atWarn()
          .addKeyValue(LogKey.NAMESPACE.key(), pod.namespace())
          .addKeyValue(LogKey.POD.key(), pod.name())
          .addKeyValue(
              LogKey.REASON.key(),
              answer == Answer.THERE
                  ? "it lost the label of the operator"
                  : "whether it is deleted cannot be checked")
          .log("Training pod left running");
    }
    var pause = before.pause().multipliedBy(2);
    return new Question(now.plus(before.pause()), pause.compareTo(LAST) < 0 ? pause : LAST);
  }

  /** The pods that the watch shows, and those that have left it and are not known to be gone. */
  public Collection<TrainingPod> there() {
    var shown = seen.get();
    if (open.isEmpty()) {
      return shown;
    }
    var uids = shown.stream().map(TrainingPod::uid).collect(Collectors.toSet());
    return Stream.concat(
            shown.stream(), open.keySet().stream().filter(pod -> !uids.contains(pod.uid())))
        .toList();
  }
}
