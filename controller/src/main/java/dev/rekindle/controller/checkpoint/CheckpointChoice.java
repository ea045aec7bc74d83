package dev.rekindle.controller.checkpoint;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.RecoveryStatus.PinnedCheckpoint;
import dev.rekindle.api.RecoveryStatus.RollBack;
import dev.rekindle.controller.model.Inspection.Checkpoint;
import dev.rekindle.controller.model.Inspection.Report;
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
 * so stay where they are and count no more. What is newer and was passed over is reported, and so
 * is the case that nothing could be judged, which is never taken for "there is none".
 */
public final class CheckpointChoice {
  private static final int TOLD = 3;

  private CheckpointChoice() {}

  /** The same for a job that never went back. */
  public static PinnedCheckpoint from(Report report) {
    return from(report, null, List.of());
  }

  /**
   * Chooses from a finished scan.
   *
   * @param before a step to go back to before; absent where the newest is wanted
   * @param rollBacks the courses that were given up before
   */
  public static PinnedCheckpoint from(
      Report report, @Nullable Long before, List<RollBack> rollBacks) {
    if (!report.error().isEmpty()) {
      return unknown("the directory cannot be judged: " + report.error());
    }
    List<Checkpoint> newestFirst =
        report.checkpoints().stream()
            .sorted(Comparator.comparingLong(Checkpoint::step).reversed())
            .toList();
    List<Checkpoint> valid = newestFirst.stream().filter(Checkpoint::valid).toList();
    List<Checkpoint> onCourse = valid.stream().filter(c -> !givenUp(c, rollBacks)).toList();
    Optional<Checkpoint> early =
        onCourse.stream().filter(c -> before == null || c.step() < before).findFirst();
    Optional<Checkpoint> chosen =
        early.or(() -> onCourse.stream().findFirst()).or(() -> valid.stream().findFirst());
    if (chosen.isEmpty() && newestFirst.stream().anyMatch(c -> c.verdict().equals("unreadable"))) {
      return unknown("none could be judged: " + told(newestFirst));
    }
    if (chosen.isEmpty()) {
      String why =
          newestFirst.isEmpty()
              ? "the directory holds no checkpoint"
              : "none is valid: " + told(newestFirst);
      return new PinnedCheckpoint(
          CheckpointVerdict.NONE, "", null, "", why + "; training starts over");
    }
    Checkpoint best = chosen.get();
    List<Checkpoint> passedOver = newestFirst.stream().filter(c -> c.step() > best.step()).toList();
    boolean back = early.isPresent() && onCourse.getFirst().step() > best.step();
    String what =
        back
            ? "newest valid one before step %d, as was asked for".formatted(before)
            : before != null && early.isEmpty()
                ? "no valid one before step %d is left; newest valid one".formatted(before)
                : onCourse.isEmpty()
                    ? "all valid ones are of a course that was given up; newest of these"
                    : "newest valid one";
    String message =
        passedOver.isEmpty() && what.equals("newest valid one")
            ? "newest of " + newestFirst.size()
            : what + (passedOver.isEmpty() ? "" : "; passed over " + told(passedOver));
    RollBack rollBack =
        back
            ? new RollBack(best.step(), onCourse.getFirst().step(), newestTime(newestFirst))
            : null;
    return new PinnedCheckpoint(
        CheckpointVerdict.VALID, best.path(), best.step(), best.level(), message, rollBack);
  }

  /** Whether it was written on a course of training that was given up later. */
  private static boolean givenUp(Checkpoint checkpoint, List<RollBack> rollBacks) {
    Instant modified = checkpoint.modified();
    return modified != null
        && rollBacks.stream()
            .anyMatch(r -> checkpoint.step() > r.to() && !modified.isAfter(r.until()));
  }

  private static Instant newestTime(List<Checkpoint> checkpoints) {
    return checkpoints.stream()
        .map(Checkpoint::modified)
        .filter(Objects::nonNull)
        .max(Instant::compareTo)
        .orElse(Instant.EPOCH);
  }

  /** Whether the scan found a newer one than the pinned one and set it aside. */
  public static boolean passesOver(Report report, PinnedCheckpoint pin) {
    Long step = pin.step();
    return step != null && report.checkpoints().stream().anyMatch(c -> c.step() > step);
  }

  /** Nothing could be judged. */
  public static PinnedCheckpoint unknown(String why) {
    return new PinnedCheckpoint(CheckpointVerdict.UNKNOWN, "", null, "", why);
  }

  /** Whether nothing could be judged. */
  public static boolean isUnknown(PinnedCheckpoint pin) {
    return pin.verdict() == CheckpointVerdict.UNKNOWN;
  }

  private static String told(List<Checkpoint> checkpoints) {
    String first =
        checkpoints.stream()
            .limit(TOLD)
            .map(
                c ->
                    "step %d %s (%s)"
                        .formatted(c.step(), c.verdict(), c.valid() ? "given up" : c.reason()))
            .collect(Collectors.joining("; "));
    int more = checkpoints.size() - TOLD;
    return more > 0 ? first + "; and " + more + " more" : first;
  }
}
