package dev.rekindle.controller.model;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is known of the checkpoints of a job at one moment. */
public sealed interface Inspection {
  /** It has not reported yet. {@code detail} says what it waits for, such as an image pull. */
  record Pending(String detail) implements Inspection {}

  /** There is no inspector: it was never made, or has ended long ago. */
  record Absent() implements Inspection {}

  /** The inspector cannot say. */
  record Unable(String reason) implements Inspection {}

  /**
   * A finished scan of the directory.
   *
   * @param scan its number, from 1; scans follow one another and never overlap
   * @param checkpoints what was found, newest step first
   * @param error why nothing is known of the directory, else empty
   */
  record Report(long scan, List<Checkpoint> checkpoints, String error) implements Inspection {
    public Report {
      checkpoints = List.copyOf(checkpoints);
    }
  }

  /**
   * One checkpoint.
   *
   * @param path as the job's containers see it
   * @param step from its name
   * @param bytes size
   * @param modified modification time
   * @param verdict {@code valid}, {@code torn}, {@code unreadable}
   * @param level how far it was checked, {@code L3}
   * @param reason why it is not valid, else empty
   */
  record Checkpoint(
      String path,
      long step,
      long bytes,
      @Nullable Instant modified,
      String verdict,
      String level,
      String reason) {
    /** Whether it may be resumed from. */
    public boolean valid() {
      return verdict.equals("valid");
    }
  }
}
