package dev.rekindle.controller.checkpoint;

import dev.rekindle.api.RecoveryStatus.PinnedCheckpoint;
import dev.rekindle.controller.checkpoint.Inspection.Checkpoint;
import dev.rekindle.controller.checkpoint.Inspection.Report;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Which checkpoint to resume from: the newest step that was judged valid. What is newer and was
 * passed over is told, and so is the case that nothing could be judged, which is never taken for
 * "there is none".
 */
public final class CheckpointChoice {
  private static final int TOLD = 3;

  private CheckpointChoice() {}

  /** Chooses from a finished scan. */
  public static PinnedCheckpoint from(Report report) {
    if (!report.error().isEmpty()) {
      return unknown("the directory could not be read: " + report.error());
    }
    List<Checkpoint> newestFirst =
        report.checkpoints().stream()
            .sorted(Comparator.comparingLong(Checkpoint::step).reversed())
            .toList();
    Optional<Checkpoint> chosen = newestFirst.stream().filter(Checkpoint::valid).findFirst();
    if (chosen.isEmpty() && newestFirst.stream().anyMatch(c -> c.verdict().equals("unreadable"))) {
      return unknown("none could be judged: " + told(newestFirst));
    }
    if (chosen.isEmpty()) {
      String why =
          newestFirst.isEmpty()
              ? "the directory holds no checkpoint"
              : "none is valid: " + told(newestFirst);
      return new PinnedCheckpoint("None", "", null, "", why + "; training starts over");
    }
    Checkpoint best = chosen.get();
    List<Checkpoint> passedOver = newestFirst.stream().filter(c -> c.step() > best.step()).toList();
    String message =
        passedOver.isEmpty()
            ? "newest of " + newestFirst.size()
            : "newest valid one; passed over " + told(passedOver);
    return new PinnedCheckpoint("Valid", best.path(), best.step(), best.level(), message);
  }

  /** Whether the scan found a newer one than the pinned one and set it aside. */
  public static boolean passesOver(Report report, PinnedCheckpoint pin) {
    Long step = pin.step();
    return step != null && report.checkpoints().stream().anyMatch(c -> c.step() > step);
  }

  /** Nothing could be judged: the script decides by itself. */
  public static PinnedCheckpoint unknown(String why) {
    return new PinnedCheckpoint(
        "Unknown", "", null, "", why + "; the script decides by itself what to resume from");
  }

  private static String told(List<Checkpoint> checkpoints) {
    String first =
        checkpoints.stream()
            .limit(TOLD)
            .map(c -> "step %d %s (%s)".formatted(c.step(), c.verdict(), c.reason()))
            .collect(Collectors.joining("; "));
    int more = checkpoints.size() - TOLD;
    return more > 0 ? first + "; and " + more + " more" : first;
  }
}
