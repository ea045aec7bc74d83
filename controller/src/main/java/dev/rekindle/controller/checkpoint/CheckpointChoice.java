package dev.rekindle.controller.checkpoint;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RollBack;
import dev.rekindle.controller.model.Inspection.Checkpoint;
import dev.rekindle.controller.model.Inspection.Report;
import dev.rekindle.detect.checkpoint.Choice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The checkpoint of a scan to resume from, by the rule of {@link Choice}, as it is pinned. */
public final class CheckpointChoice {
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
    Choice choice =
        Choice.of(
            report.checkpoints().stream().map(Checkpoint::candidate).toList(),
            report.error(),
            before,
            rollBacks.stream().map(r -> new Choice.GivenUp(r.to(), r.from(), r.until())).toList());
    return switch (choice.outcome()) {
      case UNKNOWN -> unknown(choice.message(), report.newest());
      case NONE -> new PinnedCheckpoint(CheckpointVerdict.NONE, "", null, "", choice.message());
      case VALID -> pinned(report, choice);
    };
  }

  private static PinnedCheckpoint pinned(Report report, Choice choice) {
    Checkpoint chosen =
        report.checkpoints().stream()
            .filter(c -> c.candidate().equals(choice.chosen().orElseThrow()))
            .findFirst()
            .orElseThrow();
    Choice.GivenUp course = choice.givenUp();
    return new PinnedCheckpoint(
        CheckpointVerdict.VALID,
        chosen.path(),
        chosen.step(),
        chosen.level(),
        choice.message(),
        course == null ? null : new RollBack(course.to(), course.newest(), course.until()),
        chosen.format(),
        report.nodes());
  }

  /** Whether the scan found a newer one than the pinned one and set it aside. */
  public static boolean passesOver(Report report, PinnedCheckpoint pin) {
    Long step = pin.step();
    return step != null && report.checkpoints().stream().anyMatch(c -> c.step() > step);
  }

  /** Nothing could be judged. */
  public static PinnedCheckpoint unknown(String why) {
    return unknown(why, List.of());
  }

  /**
   * The same where nodes have files of their own.
   *
   * @param newest the nodes that have the newest
   */
  public static PinnedCheckpoint unknown(String why, List<String> newest) {
    return new PinnedCheckpoint(CheckpointVerdict.UNKNOWN, "", null, "", why, null, "", newest);
  }

  /** Whether nothing could be judged. */
  public static boolean isUnknown(PinnedCheckpoint pin) {
    return pin.verdict() == CheckpointVerdict.UNKNOWN;
  }
}
