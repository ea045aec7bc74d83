package dev.rekindle.testbed;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * An undisturbed run of the same seed: what the loss of every step should be. It is run once for
 * each size of gang, as fast as the machine can.
 */
final class Reference {
  /** Past every restart; a disturbed run that goes further is compared up to here. */
  private static final int STEPS = 400;

  private static final Map<Integer, Map<Long, Double>> LOSSES = new ConcurrentHashMap<>();

  private Reference() {}

  /** Step to loss. */
  static Map<Long, Double> losses(Scene scene, int workers) {
    return LOSSES.computeIfAbsent(workers, _ -> run(scene, workers));
  }

  private static Map<Long, Double> run(Scene scene, int workers) {
    TrainingJob job =
        scene
            .job("reference")
            .workers(workers)
            // A test may have fenced a node by now.
            .sharingNodes()
            .notOptedIn()
            .set("STEPS", Integer.toString(STEPS))
            .set("STEP_SECONDS", "0")
            .set("CHECKPOINT_EVERY", Integer.toString(STEPS))
            .start();
    Await.until(
        "the reference run at its end",
        Duration.ofMinutes(4),
        () -> job.log().reached() >= STEPS,
        job::describePods);
    Map<Long, Double> losses =
        job.log().steps().stream()
            .collect(Collectors.toMap(TrainingLog.Step::step, TrainingLog.Step::loss, (a, _) -> a));
    job.delete();
    return losses;
  }
}
