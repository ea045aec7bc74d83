package dev.rekindle.simulator.world;

import dev.rekindle.api.TrackerChange;
import dev.rekindle.api.TrackerResult;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A file beside the checkpoints of one job that names the newest, as DeepSpeed's {@code latest}.
 */
public final class Tracker {
  private static final String PREFIX = Storage.DIRECTORY + "/global_step";

  private long step;
  private final Set<String> started = new HashSet<>();
  private final Map<String, TrackerChange> changes = new HashMap<>();

  /** Path of a checkpoint that it can name. */
  static String path(long step) {
    return PREFIX + step;
  }

  /** The step that it names, 0 while there is none. */
  public long step() {
    return step;
  }

  void saved(long newest) {
    step = newest;
  }

  /** Whether a pod that rewrites it is to be made for the attempt: the first time. */
  public boolean start(String attempt) {
    return started.add(attempt);
  }

  /** Whether there is such a pod, running or completed. */
  public boolean isStarted(String attempt) {
    return started.contains(attempt);
  }

  /** The pod of the attempt writes it. */
  public void rewrite(String attempt, String path) {
    String before = PREFIX.substring(PREFIX.lastIndexOf('/') + 1) + step;
    step = Long.parseLong(path.substring(PREFIX.length()));
    String now = path.substring(path.lastIndexOf('/') + 1);
    boolean same = before.equals(now);
    changes.put(
        attempt,
        new TrackerChange(
            same ? TrackerResult.UNCHANGED : TrackerResult.REWRITTEN,
            "latest",
            before,
            now,
            same ? "" : "latest.rekindle-before-" + attempt,
            ""));
  }

  /** The pod of the attempt leaves it as it is. */
  public void refuse(String attempt, String why) {
    changes.put(attempt, TrackerChange.refused(why));
  }

  /** What came of the attempt's pod. */
  public Optional<TrackerChange> change(String attempt) {
    return Optional.ofNullable(changes.get(attempt));
  }
}
