package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.TimelineEntry;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * How long a recovery takes, beside the floor: the same suspend, drain, patch and resume done by a
 * bare script that has nothing to detect and nothing to decide ({@code testbed/floor.sh}). Both in
 * the same run: rebuilt with the pods' own grace period and with a grace cap, restarted in place,
 * and a killed rank that only the kubelets restart.
 *
 * <p>{@code -Dbenchmark.rounds=N} runs it so often; the table gives medians. Times are from the
 * record in the kernel log (for the floor: from its first call) to the log line of the first step
 * past the highest one that any rank had reached. Nothing is asserted of them but their order of
 * magnitude.
 */
@Order(10)
@OnTestbed
@EnabledIfSystemProperty(
    named = "benchmark.rounds",
    matches = "[1-9][0-9]*",
    disabledReason = "a benchmark, not a test: -Dbenchmark.rounds=1 runs it")
class RecoveryBenchmarkIT {
  private static final int ROUNDS = Integer.getInteger("benchmark.rounds", 1);
  private static final String GRACE_SECONDS = "5";
  private static final int CAP = 1;
  private static final int NO_CAP = 30;
  private static final long STEPS_BEFORE = 25;

  /**
   * One measured restart, all in seconds.
   *
   * @param cordon from the record to the cordon; for the floor the cordon is its first call
   * @param drain until no pod existed
   * @param plan until the templates were patched and the job resumed
   * @param ready until all new pods were Ready
   * @param train until the first step past the highest
   * @param total the whole
   */
  private record Times(
      double cordon, double drain, double plan, double ready, double train, double total) {
    static Times median(List<Times> all) {
      return new Times(
          median(all.stream().mapToDouble(Times::cordon).toArray()),
          median(all.stream().mapToDouble(Times::drain).toArray()),
          median(all.stream().mapToDouble(Times::plan).toArray()),
          median(all.stream().mapToDouble(Times::ready).toArray()),
          median(all.stream().mapToDouble(Times::train).toArray()),
          median(all.stream().mapToDouble(Times::total).toArray()));
    }

    private static double median(double[] values) {
      Arrays.sort(values);
      int half = values.length / 2;
      return values.length % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
    }

    String row(String what) {
      return String.format(
          Locale.ROOT,
          "| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |",
          what,
          cordon,
          drain,
          plan,
          ready,
          train,
          total);
    }
  }

  @Test
  void shouldTakeNotMuchLongerThanTheSameDoneByHand(Scene scene) {
    String patient = scene.policy("patient", policy(NO_CAP));
    String capped = scene.policy("capped", policy(CAP));
    List<Times> floor = new ArrayList<>();
    List<Times> ours = new ArrayList<>();
    List<Times> floorCapped = new ArrayList<>();
    List<Times> oursCapped = new ArrayList<>();
    List<Times> floorInPlace = new ArrayList<>();
    List<Times> oursInPlace = new ArrayList<>();
    List<Times> noController = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      floor.add(floor(List.of()));
      ours.add(recovery(scene, patient, false));
      floorCapped.add(floor(List.of("--grace-cap", Integer.toString(CAP))));
      oursCapped.add(recovery(scene, capped, false));
      floorInPlace.add(floor(List.of("--in-place")));
      oursInPlace.add(recovery(scene, capped, true));
      noController.add(floor(List.of("--no-controller")));
    }
    report(
        Times.median(floor),
        Times.median(ours),
        Times.median(floorCapped),
        Times.median(oursCapped),
        Times.median(floorInPlace),
        Times.median(oursInPlace),
        Times.median(noController));
    List<Times> all = new ArrayList<>(ours);
    all.addAll(oursCapped);
    all.addAll(oursInPlace);
    assertThat(all).allSatisfy(t -> assertThat(t.cordon()).isBetween(0.0, 5.0));
    assertThat(Times.median(ours).total()).isLessThan(2 * Times.median(floor).total());
  }

  private static RecoveryPolicySpec policy(int cap) {
    return Serialization.unmarshal(
        """
        budget: {maxRestarts: 100}
        restart: {strategy: rebuild}
        detection: {stallSeconds: 60, silentNodeSeconds: 30, kubeletRestartSeconds: 45}
        timeouts:
          gracePeriodCapSeconds: %d
          drainSeconds: 60
          inspectSeconds: 20
          startSeconds: 90
          readyStableSeconds: 5
        """
            .formatted(cap),
        RecoveryPolicySpec.class);
  }

  private static Times floor(List<String> options) {
    List<String> program =
        new ArrayList<>(List.of(Testbed.ROOT.resolve("testbed/floor.sh").toString()));
    program.addAll(options);
    program.addAll(List.of("--steps-before", Long.toString(STEPS_BEFORE)));
    program.addAll(List.of("NAME=floor", "WORKERS=2", "GRACE_SECONDS=" + GRACE_SECONDS));
    String said = byHand(program.toArray(String[]::new));
    JsonNode times = new KubernetesSerialization().unmarshal(said, ObjectNode.class);
    return new Times(
        times.get("fence").asDouble(),
        times.get("drain").asDouble(),
        times.get("patch").asDouble(),
        times.get("ready").asDouble(),
        times.get("train").asDouble(),
        times.get("total").asDouble());
  }

  /** Without a controller a gang that does not come up stays down: then it is done once more. */
  private static String byHand(String... program) {
    try {
      return Command.run(Duration.ofMinutes(4), program);
    } catch (AssertionError failed) {
      Testbed.log("the floor is measured once more: " + failed.getMessage());
      return Command.run(Duration.ofMinutes(4), program);
    }
  }

  private static Times recovery(Scene scene, String policy, boolean inPlace) {
    JobRequest request =
        scene
            .job("bench")
            .workers(2)
            .set("GRACE_SECONDS", GRACE_SECONDS)
            .annotation("rekindle.dev/policy", policy);
    TrainingJob job = (inPlace ? request.inPlace() : request).start();
    job.awaitStep(STEPS_BEFORE);
    InPlaceRun run = InPlaceRun.of(scene, job);
    String faulty = job.nodeOf("worker-0");
    Set<String> old = job.placement().keySet();
    Instant record = scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
    Recovery recovery = job.recoveries().awaitRecovered();
    assertThat(Recoveries.plan(recovery).restart())
        .isEqualTo(inPlace ? RestartWay.IN_PLACE : RestartWay.REBUILD);
    long reached = run.reached();
    run.awaitPast(0);

    Instant cordoned =
        scene.recorder().node(faulty).stream()
            .filter(s -> Cluster.fencedByUs(s.object()) && s.at().isAfter(record))
            .findFirst()
            .orElseThrow()
            .at();
    Instant drained = entered(recovery, RecoveryPhase.PLANNING);
    Instant resumed = entered(recovery, RecoveryPhase.VERIFYING);
    // In place the agents have seen every container run by then.
    Instant ready = inPlace ? resumed : allReady(scene, job, old);
    Instant trains = run.firstPast(reached);
    job.delete();
    scene.cluster().forgetFaults();
    scene.cluster().awaitAllUsable();
    return new Times(
        seconds(record, cordoned),
        seconds(cordoned, drained),
        seconds(drained, resumed),
        seconds(resumed, ready),
        seconds(ready, trains),
        seconds(record, trains));
  }

  private static Instant entered(Recovery recovery, RecoveryPhase phase) {
    return Recoveries.status(recovery).timeline().stream()
        .filter(e -> e.phase() == phase)
        .map(TimelineEntry::time)
        .findFirst()
        .orElseThrow();
  }

  private static Instant allReady(Scene scene, TrainingJob job, Set<String> old) {
    Set<String> young = new java.util.HashSet<>();
    Instant last = Instant.EPOCH;
    for (Recorder.ObjectVersion<Pod> seen : scene.recorder().pods(job)) {
      if (!old.contains(seen.uid())
          && ControllerProcess.ready(seen.object())
          && young.add(seen.uid())) {
        last = seen.at();
      }
    }
    return last;
  }

  private static double seconds(Instant from, Instant to) {
    return Duration.between(from, to).toMillis() / 1000.0;
  }

  private static void report(
      Times floor,
      Times ours,
      Times floorCapped,
      Times oursCapped,
      Times floorInPlace,
      Times oursInPlace,
      Times noController) {
    List<String> lines =
        List.of(
            "Three ranks on three nodes, seconds, median of %d:".formatted(ROUNDS),
            "",
            "| | cordon | drain | plan | Ready | train | total |",
            "|---|---|---|---|---|---|---|",
            floor.row("floor, grace " + GRACE_SECONDS + " s"),
            ours.row("Rekindle, grace " + GRACE_SECONDS + " s"),
            floorCapped.row("floor, grace cap " + CAP + " s"),
            oursCapped.row("Rekindle, grace cap " + CAP + " s"),
            floorInPlace.row("floor, in place"),
            oursInPlace.row("Rekindle, in place"),
            noController.row("no controller, a rank killed"),
            "",
            String.format(
                Locale.ROOT,
                "In place: Rekindle over the floor %.2f; over its own rebuild with the cap %.2f.",
                oursInPlace.total() / floorInPlace.total(),
                oursInPlace.total() / oursCapped.total()),
            String.format(
                Locale.ROOT,
                "Rekindle over the floor with the same grace period: %.2f; with the cap over the"
                    + " floor without: %.2f; with the cap over the floor with it: %.2f.",
                ours.total() / floor.total(),
                oursCapped.total() / floor.total(),
                oursCapped.total() / floorCapped.total()));
    lines.forEach(Testbed::log);
    Path file = Testbed.OUT.resolve("benchmark.md");
    try {
      Files.createDirectories(Testbed.OUT);
      Files.write(file, lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
