package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.Inspection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The checkpoints of one job, on the shared file system or on the disk of one node. */
public final class Storage {
  static final String DIRECTORY = "/ckpt";
  private static final int KEPT = 4;

  private static final class File {
    private final long step;
    private final Instant begun;
    private final @Nullable Instant whole;
    private @Nullable Instant torn;
    private boolean givenUp;
    private @Nullable Poison poison;

    /** Generations whose reports have shown that it is poisoned. */
    private final Set<String> shown = new HashSet<>();

    private File(long step, Instant begun, @Nullable Instant whole) {
      this.step = step;
      this.begun = begun;
      this.whole = whole;
    }

    private boolean valid(Instant at) {
      return whole != null && !whole.isAfter(at) && (torn == null || torn.isAfter(at));
    }
  }

  private final List<File> files = new ArrayList<>();
  private @Nullable String home;
  private @Nullable Tracker tracker;

  /** The script finds its newest checkpoint by a tracker. */
  void track() {
    tracker = new Tracker();
  }

  /** Absent where the script lists its files. */
  public Optional<Tracker> tracker() {
    return Optional.ofNullable(tracker);
  }

  /** From now on they are on the disk of that node, and were there all the time. */
  void keepOn(String node) {
    home = node;
  }

  /** The one node through which they are reached; null where all reach them. */
  public @Nullable String home() {
    return home;
  }

  /** A good checkpoint that was written to its end. */
  void written(long step, Instant begun, Instant whole) {
    written(step, begun, whole, null);
  }

  /** The same of one that may be poisoned. */
  void written(long step, Instant begun, Instant whole, @Nullable Poison poison) {
    File file = new File(step, begun, whole);
    file.poison = poison;
    replace(file);
    if (tracker != null) {
      tracker.saved(step);
    }
  }

  /** So many of the newest whole checkpoints are not what they seem. */
  void poisonNewest(Poison poison, int count, Instant now) {
    files.reversed().stream()
        .filter(f -> f.valid(now) && !f.givenUp)
        .limit(count)
        .forEach(f -> f.poison = poison);
  }

  /** What is wrong with the checkpoint of that step; null where nothing is. */
  public @Nullable Poison poison(long step) {
    return files.stream()
        .filter(f -> f.step == step)
        .map(f -> f.poison)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** The reports on a generation show what is wrong with the checkpoint that it was to load. */
  void shows(long step, String generation) {
    // Before the first restart by a recovery there is none, and no recovery that counts it
    // (seed 9691).
    if (!generation.isEmpty()) {
      files.stream().filter(f -> f.step == step).forEach(f -> f.shown.add(generation));
    }
  }

  /** The generations that have shown that the checkpoint of that step is poisoned. */
  public Set<String> shown(long step) {
    Set<String> shown = new HashSet<>();
    files.stream().filter(f -> f.step == step).forEach(f -> shown.addAll(f.shown));
    return shown;
  }

  /** No record is left of what generations have shown. */
  public void forgetShown() {
    files.forEach(f -> f.shown.clear());
  }

  /** A file whose writer ended in the middle of it. */
  void cutOff(long step, Instant begun) {
    replace(new File(step, begun, null));
  }

  private void replace(File file) {
    files.removeIf(f -> f.step == file.step);
    files.add(file);
    files.sort(Comparator.comparingLong(f -> f.step));
    // A script leaves alone what is of a later step than it is at.
    while (files.stream().filter(f -> f.step <= file.step).count() > KEPT) {
      files.removeFirst();
    }
  }

  /** The newest whole checkpoint loses a part of its bytes. */
  void tearNewest(Instant now) {
    for (File file : files.reversed()) {
      if (file.valid(now)) {
        file.torn = now;
        return;
      }
    }
  }

  /**
   * Step of the newest whole one, 0 when there is none. Those of a course that was given up count
   * only where there is no other.
   */
  public long newestValid(Instant at) {
    return newestBefore(Long.MAX_VALUE, at)
        .orElseGet(
            () ->
                files.reversed().stream()
                    .filter(f -> f.valid(at))
                    .mapToLong(f -> f.step)
                    .findFirst()
                    .orElse(0));
  }

  /** The same of before a step; the newest of all where there is none. */
  public long newestValidBefore(long step, Instant at) {
    return newestBefore(step, at).orElseGet(() -> newestValid(at));
  }

  private OptionalLong newestBefore(long step, Instant at) {
    return files.reversed().stream()
        .filter(f -> f.valid(at) && !f.givenUp && f.step < step)
        .mapToLong(f -> f.step)
        .findFirst();
  }

  /**
   * Training goes back to that step on purpose; what is of later ones stays, and counts no more.
   */
  public void goBack(long step) {
    files.stream().filter(f -> f.step > step).forEach(f -> f.givenUp = true);
  }

  /** No record is left that training ever went back. */
  public void forgetGoingBack() {
    files.forEach(f -> f.givenUp = false);
  }

  /** Step of the newest file, whole or not, 0 when there is none. */
  long newest(Instant at) {
    if (tracker != null) {
      return tracker.step();
    }
    return files.reversed().stream()
        .filter(f -> !f.begun.isAfter(at))
        .mapToLong(f -> f.step)
        .findFirst()
        .orElse(0);
  }

  /** Whether a script that decides by itself would take up a course that was given up. */
  public boolean newestGivenUp(Instant at) {
    return files.reversed().stream()
        .filter(f -> !f.begun.isAfter(at))
        .findFirst()
        .filter(f -> f.givenUp)
        .isPresent();
  }

  /** Whether the checkpoint of that step can be loaded; step 0 needs none. */
  public boolean valid(long step, Instant at) {
    return step == 0 || files.stream().anyMatch(f -> f.step == step && f.valid(at));
  }

  /** What an inspector that looks at that moment finds, newest first. */
  List<Inspection.Checkpoint> judged(Instant at) {
    return judged(at, at);
  }

  /**
   * What an inspector finds, newest first, that lists the files at one moment and has read the last
   * of them at another: saves go on meanwhile.
   */
  List<Inspection.Checkpoint> judged(Instant listed, Instant done) {
    List<File> there = files.reversed().stream().filter(f -> !f.begun.isAfter(listed)).toList();
    Duration each = Duration.between(listed, done).dividedBy(Math.max(1, there.size()));
    List<Inspection.Checkpoint> judged = new ArrayList<>();
    for (File file : there) {
      judged.add(judged(file, listed.plus(each.multipliedBy(judged.size()))));
    }
    return judged;
  }

  private Inspection.Checkpoint judged(File file, Instant at) {
    boolean valid = file.valid(at);
    return new Inspection.Checkpoint(
        tracker == null ? path(file.step) : Tracker.path(file.step),
        file.step,
        valid ? 1 << 20 : 1 << 18,
        Optional.ofNullable(file.whole).orElse(file.begun),
        valid ? "Valid" : "Torn",
        "L3",
        valid ? "" : "no end of the archive",
        tracker == null ? "torch-save" : "deepspeed");
  }

  /** Path of a checkpoint. */
  static String path(long step) {
    return "%s/step-%08d.pt".formatted(DIRECTORY, step);
  }
}
