package dev.rekindle.testbed;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** The pods of a job over time: which attempts, and whether two ever existed together. */
final class Generations {
  private Generations() {}

  /**
   * A run of time in which pods of the job existed without a break.
   *
   * @param attempts the attempts they belonged to, empty word for the first generation
   * @param uids their UIDs
   * @param from revision at which the first of them appeared
   * @param until revision at which the last of them was gone; {@link Long#MAX_VALUE} if they are
   *     there still
   */
  record Presence(TreeSet<String> attempts, TreeSet<String> uids, long from, long until) {}

  /** Splits what was seen at the moments at which no pod of the job existed. */
  static List<Presence> of(List<Recorder.ObjectVersion<Pod>> pods) {
    List<Presence> found = new ArrayList<>();
    Map<String, Pod> alive = new LinkedHashMap<>();
    TreeSet<String> attempts = new TreeSet<>();
    TreeSet<String> uids = new TreeSet<>();
    long from = 0;
    for (Recorder.ObjectVersion<Pod> seen : pods) {
      if (seen.gone()) {
        alive.remove(seen.uid());
        if (alive.isEmpty() && !uids.isEmpty()) {
          found.add(new Presence(attempts, uids, from, seen.revision()));
          attempts = new TreeSet<>();
          uids = new TreeSet<>();
        }
        continue;
      }
      if (uids.isEmpty()) {
        from = seen.revision();
      }
      alive.put(seen.uid(), seen.object());
      uids.add(seen.uid());
      attempts.add(TrainingJob.attempt(seen.object()));
    }
    if (!uids.isEmpty()) {
      found.add(new Presence(attempts, uids, from, Long.MAX_VALUE));
    }
    return found;
  }
}
