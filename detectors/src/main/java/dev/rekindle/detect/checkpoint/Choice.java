package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.format.Verdict;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which checkpoint to resume from: the newest step that was judged valid, or, where the script asks
 * to go back, the newest valid one of before that. Those of a course of training that was given up
 * so stay where they are and count no more. What is newer and was passed over is named, and so is
 * the case that nothing could be judged, which is never taken for "there is none".
 *
 * @param outcome whether there is one
 * @param chosen the one; empty unless there is one
 * @param message why it was chosen and what was passed over, or why there is none
 * @param givenUp what is given up on purpose for it; absent where it is the newest valid one
 */
public record Choice(
    Outcome outcome, Optional<Candidate> chosen, String message, @Nullable GivenUp givenUp) {
  /** So many of the newest are judged by a recovery, and may be chosen. */
  public static final int MOST = 20;

  private static final int LISTED = 3;

  /** Whether there is a checkpoint to resume from. */
  public enum Outcome {
    /** There is. */
    VALID,
    /** Nothing could be judged. */
    UNKNOWN,
    /** There is none. */
    NONE
  }

  /**
   * A course of training that was given up: what has a later step and was written until then.
   *
   * @param to step that it went back to
   * @param newest newest valid step of it
   * @param until when the newest checkpoint of it was written
   */
  public record GivenUp(long to, long newest, Instant until) {
    private boolean includes(Candidate checkpoint) {
      var modified = checkpoint.modified();
      return modified != null && checkpoint.step() > to && !modified.isAfter(until);
    }
  }

  /** The same for a training that never went back. */
  public static Choice of(List<Candidate> checkpoints, String error) {
    return of(checkpoints, error, null, List.of());
  }

  /**
   * Chooses.
   *
   * @param checkpoints what a scan has found, in any order
   * @param error why the list is not to be relied on; empty where it is
   * @param before a step to go back to before; absent where the newest is wanted
   * @param courses those that were given up before
   */
  public static Choice of(
      List<Candidate> checkpoints, String error, @Nullable Long before, List<GivenUp> courses) {
    if (!error.isEmpty()) {
      return unknown("the directory cannot be judged: " + error);
    }
    var newestFirst =
        checkpoints.stream().sorted(Comparator.comparingLong(Candidate::step).reversed()).toList();
    var valid = newestFirst.stream().filter(Candidate::valid).toList();
    var onCourse =
        valid.stream().filter(c -> courses.stream().noneMatch(g -> g.includes(c))).toList();
    var early = onCourse.stream().filter(c -> before == null || c.step() < before).findFirst();
    var chosen = early.or(() -> onCourse.stream().findFirst()).or(() -> valid.stream().findFirst());
    if (chosen.isEmpty()) {
      return without(newestFirst);
    }
    var best = chosen.get();
    var passedOver = newestFirst.stream().filter(c -> c.step() > best.step()).toList();
    var back = early.isPresent() && onCourse.getFirst().step() > best.step();
    var what =
        back
            ? "newest valid one before step %d, as was asked for".formatted(before)
            : before != null && early.isEmpty()
                ? "no valid one before step %d is left; newest valid one".formatted(before)
                : onCourse.isEmpty()
                    ? "all valid ones are of a course that was given up; newest of these"
                    : "newest valid one";
    var message =
        (passedOver.isEmpty() && what.equals("newest valid one")
                ? "newest of " + newestFirst.size()
                : what + (passedOver.isEmpty() ? "" : "; passed over " + listed(passedOver)))
            + (best.reason().isEmpty() ? "" : "; " + best.reason())
            + writtenLater(best, onCourse);
    return new Choice(
        Outcome.VALID,
        chosen,
        message,
        back
            ? new GivenUp(best.step(), onCourse.getFirst().step(), newestTime(newestFirst))
            : null);
  }

  /**
   * A word about lower steps that were written later: an earlier run of the directory may have got
   * further, or the script went back by itself. Which of them is wanted nothing here says.
   */
  private static String writtenLater(Candidate best, List<Candidate> onCourse) {
    var modified = best.modified();
    if (modified == null) {
      return "";
    }
    return onCourse.stream()
        .filter(c -> c.step() < best.step())
        .filter(c -> c.writtenAfter(modified.plus(Doubts.TOGETHER)))
        .findFirst()
        .map(
            c ->
                "; step %d is lower and was written %s later: is step %d of an older run?"
                    .formatted(
                        c.step(), InspectReport.age(c.writtenAfterBy(modified)), best.step()))
        .orElse("");
  }

  private static Choice without(List<Candidate> newestFirst) {
    if (newestFirst.stream().anyMatch(c -> c.verdict() == Verdict.Kind.UNKNOWN)) {
      return unknown("none could be judged: " + listed(newestFirst));
    }
    if (newestFirst.size() == 1) {
      var only = "the only checkpoint is not complete, and there is no older one: ";
      return new Choice(Outcome.NONE, Optional.empty(), only + listed(newestFirst), null);
    }
    var why =
        newestFirst.isEmpty()
            ? "the directory holds no checkpoint"
            : "none is valid: " + listed(newestFirst);
    return new Choice(Outcome.NONE, Optional.empty(), why + "; training starts over", null);
  }

  private static Choice unknown(String why) {
    return new Choice(Outcome.UNKNOWN, Optional.empty(), why, null);
  }

  private static Instant newestTime(List<Candidate> checkpoints) {
    return checkpoints.stream()
        .map(Candidate::modified)
        .filter(Objects::nonNull)
        .max(Instant::compareTo)
        .orElse(Instant.EPOCH);
  }

  private static String listed(List<Candidate> checkpoints) {
    var first =
        checkpoints.stream().limit(LISTED).map(Candidate::text).collect(Collectors.joining("; "));
    var more = checkpoints.size() - LISTED;
    return more > 0 ? first + "; and " + more + " more" : first;
  }
}
