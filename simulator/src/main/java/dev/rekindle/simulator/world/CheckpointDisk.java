package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.Inspection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The checkpoints of one job in one directory: of a shared file system, or of one node's disk. */
final class CheckpointDisk {
  private static final int KEPT = 4;

  /** One checkpoint, complete or not. */
  static final class File {
    final long step;
    final Instant begun;
    final @Nullable Instant whole;

    /** Which training has written it: files of one step and one course are of one save. */
    final long course;

    private @Nullable Instant torn;
    boolean givenUp;
    @Nullable Poison poison;

    /** Generations whose reports have shown that it is poisoned. */
    final Set<String> shown = new HashSet<>();

    /** How far the job had come when that was shown last. */
    long furthest;

    File(long step, Instant begun, @Nullable Instant whole, long course) {
      this.step = step;
      this.begun = begun;
      this.whole = whole;
      this.course = course;
    }

    boolean valid(Instant at) {
      return whole != null && !whole.isAfter(at) && (torn == null || torn.isAfter(at));
    }

    void shows(String generation, long reached) {
      shown.add(generation);
      furthest = reached;
    }

    /** When it was written last. */
    Instant modified() {
      return Optional.ofNullable(whole).orElse(begun);
    }
  }

  private final List<File> files = new ArrayList<>();

  /** Newest last. */
  List<File> files() {
    return files;
  }

  /** Newest first. */
  Stream<File> newestFirst() {
    return files.reversed().stream();
  }

  Optional<File> of(long step) {
    return files.stream().filter(f -> f.step == step).findFirst();
  }

  /** Whether it has a whole one of that step. */
  boolean valid(long step, Instant at) {
    return of(step).filter(f -> f.valid(at)).isPresent();
  }

  /** It takes the place of one of the same step. */
  void replace(File file) {
    files.removeIf(f -> f.step == file.step);
    files.add(file);
    files.sort(Comparator.comparingLong(f -> f.step));
    // A script leaves alone what is of a later step than it is at.
    while (files.stream().filter(f -> f.step <= file.step).count() > KEPT) {
      files.removeFirst();
    }
  }

  /** The newest complete checkpoint loses a part of its bytes. */
  void tearNewest(Instant now) {
    newestFirst().filter(f -> f.valid(now)).findFirst().ifPresent(f -> f.torn = now);
  }

  /**
   * What an inspector finds, newest first, that lists the files at one moment and has read the last
   * of them at another: saves continue meanwhile.
   */
  List<Inspection.Checkpoint> judged(Instant listed, Instant done, boolean tracked) {
    List<File> there = newestFirst().filter(f -> !f.begun.isAfter(listed)).toList();
    Duration each = Duration.between(listed, done).dividedBy(Math.max(1, there.size()));
    List<Inspection.Checkpoint> judged = new ArrayList<>();
    for (File file : there) {
      judged.add(judged(file, listed.plus(each.multipliedBy(judged.size())), tracked));
    }
    return judged;
  }

  private static Inspection.Checkpoint judged(File file, Instant at, boolean tracked) {
    boolean valid = file.valid(at);
    return new Inspection.Checkpoint(
        tracked ? Tracker.path(file.step) : Storage.path(file.step),
        file.step,
        valid ? 1 << 20 : 1 << 18,
        file.modified(),
        valid ? "Valid" : "Torn",
        "L3",
        valid ? "" : "no end of the archive",
        tracked ? "deepspeed" : "torch-save",
        0);
  }
}
