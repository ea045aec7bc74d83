package dev.rekindle.controller.model;

import dev.rekindle.detect.checkpoint.Candidate;
import dev.rekindle.detect.checkpoint.WorldFit;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is known of the checkpoints of a job at one moment. */
public sealed interface Inspection {
  /** It has not reported yet. {@code detail} says what it waits for, such as an image pull. */
  record Pending(String detail) implements Inspection {}

  /** There is no inspector: it was never made, or has ended long ago. */
  record Absent() implements Inspection {}

  /**
   * The inspector cannot say.
   *
   * @param reason why, a clause or a sentence
   * @param away whether the only copy of the checkpoints is out of reach now: a script that decided
   *     by itself would find none
   */
  record Unable(String reason, boolean away) implements Inspection {
    /** One of which no copy is known to be out of reach. */
    public Unable(String reason) {
      this(reason, false);
    }
  }

  /**
   * A finished scan of the directory.
   *
   * @param scan its number, from 1; scans follow one another and never overlap
   * @param checkpoints what was found, newest step first
   * @param error why nothing is known of the directory, else empty
   * @param nodes nodes on whose disks the checkpoints are, where each has files of its own; empty
   *     where all nodes reach them alike
   * @param away nodes of the gang that were out of reach, where each has files of its own
   * @param newest those of the nodes that have the newest complete one, where each has files of its
   *     own
   */
  record Report(
      long scan,
      List<Checkpoint> checkpoints,
      String error,
      List<String> nodes,
      List<String> away,
      List<String> newest)
      implements Inspection {
    public Report {
      checkpoints = List.copyOf(checkpoints);
      nodes = List.copyOf(nodes);
      away = List.copyOf(away);
      newest = List.copyOf(newest);
    }

    /** One of all nodes that may have files. */
    public Report(long scan, List<Checkpoint> checkpoints, String error, List<String> nodes) {
      this(scan, checkpoints, error, nodes, List.of(), List.of());
    }

    /** One of a directory that all nodes reach alike. */
    public Report(long scan, List<Checkpoint> checkpoints, String error) {
      this(scan, checkpoints, error, List.of());
    }

    /**
     * The same for a gang of so many GPUs: what it cannot load ({@link WorldFit}) is Unknown.
     *
     * @param gpus of the whole gang; 0 where it has none
     */
    public Report forGpus(long gpus) {
      return new Report(
          scan,
          checkpoints.stream().map(c -> c.forGpus(gpus)).toList(),
          error,
          nodes,
          away,
          newest);
    }
  }

  /**
   * One checkpoint.
   *
   * @param path as the job's containers see it
   * @param step from its name
   * @param bytes size
   * @param modified modification time
   * @param verdict {@code Valid}, {@code Torn}, {@code Unknown}; in any case, and any other word is
   *     Unknown
   * @param level how far it was checked, {@code L3}
   * @param reason why it is not valid, else empty
   * @param format name of its format; empty where it is not known
   * @param ranks of which those that load it must be a multiple; 0 where any number can, or it is
   *     not known
   */
  record Checkpoint(
      String path,
      long step,
      long bytes,
      @Nullable Instant modified,
      String verdict,
      String level,
      String reason,
      String format,
      int ranks) {
    public Checkpoint {
      verdict = Verdict.Kind.of(verdict).orElse(Verdict.Kind.UNKNOWN).word();
    }

    /** One whose format is not known, and that any number of ranks can load. */
    public Checkpoint(
        String path,
        long step,
        long bytes,
        @Nullable Instant modified,
        String verdict,
        String level,
        String reason) {
      this(path, step, bytes, modified, verdict, level, reason, "", 0);
    }

    private Checkpoint forGpus(long gpus) {
      return candidate().valid()
          ? WorldFit.fault(ranks, gpus).map(this::unknown).orElse(this)
          : this;
    }

    private Checkpoint unknown(String why) {
      return new Checkpoint(
          path, step, bytes, modified, Verdict.Kind.UNKNOWN.word(), level, why, format, ranks);
    }

    /** The same as one that may be chosen. */
    public Candidate candidate() {
      return new Candidate(
          path, step, modified, Verdict.Kind.of(verdict).orElse(Verdict.Kind.UNKNOWN), reason);
    }
  }
}
