package dev.rekindle.agent.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.Crud;
import dev.rekindle.agent.pods.JobLookup;
import dev.rekindle.agent.pods.JobSettings;
import dev.rekindle.agent.telemetry.AgentMetrics;
import dev.rekindle.api.RankReport;
import dev.rekindle.api.RankReportStatus;
import dev.rekindle.detect.pod.TrainingContainer;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.progress.PodProgress;
import dev.rekindle.detect.progress.Progress;
import dev.rekindle.detect.progress.RestartLine;
import dev.rekindle.detect.progress.StepPattern;
import dev.rekindle.detect.progress.TrainingLog;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProgressLoopTest {
  private static final TrainingPod POD = pod(false);

  private static TrainingPod pod(boolean finished) {
    return pod("job-worker-0", "12345678-aaaa", finished);
  }

  private static TrainingPod pod(String name, String uid, boolean finished) {
    return new TrainingPod(
        "team",
        name,
        uid,
        "job",
        "job-uid",
        Instant.EPOCH,
        false,
        finished,
        TrainingContainer.NONE,
        Set.of());
  }

  private static final String REPORT = "job-worker-0-12345678.node-1";

  @TempDir Path podLogs;
  private final Crud crud = new Crud();
  private final List<TrainingPod> pods = new ArrayList<>(List.of(POD));
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private Duration stepped = Duration.ZERO;
  private ProgressLoop loop = newLoop(Path.of("replaced"));

  private ProgressLoop newLoop(Path logs) {
    return newLoop(logs, PodProgress::new);
  }

  private ProgressLoop newLoop(Path logs, BiFunction<Path, StepPattern, TrainingLog> opener) {
    return new ProgressLoop(
        logs,
        Duration.ofSeconds(5),
        () -> now.plus(stepped),
        () -> now,
        () -> pods,
        new JobLookup(crud.client, () -> now),
        new ReportWriter(crud.client, "node-1"),
        new AgentMetrics(new PrometheusRegistry()),
        opener);
  }

  @BeforeEach
  void start() {
    loop = newLoop(podLogs);
  }

  @AfterEach
  void close() {
    crud.close();
  }

  private void job(Map<String, String> annotations, Map<String, String> labels) {
    GenericKubernetesResource job =
        new GenericKubernetesResourceBuilder()
            .withApiVersion("kubeflow.org/v1")
            .withKind("PyTorchJob")
            .withNewMetadata()
            .withNamespace("team")
            .withName("job")
            .withAnnotations(annotations)
            .withLabels(labels)
            .endMetadata()
            .build();
    crud.client
        .resource(job)
        .createOr(io.fabric8.kubernetes.client.dsl.NonDeletingOperation::update);
  }

  private void optIn() {
    job(Map.of("rekindle.dev/recover", "true"), Map.of());
  }

  private void print(int run, String text) throws IOException {
    var directory =
        Files.createDirectories(podLogs.resolve("team_job-worker-0_12345678-aaaa/pytorch"));
    Files.writeString(
        directory.resolve(run + ".log"),
        now + " stdout F " + text + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  private void tickAfter(Duration time) {
    now = now.plus(time);
    loop.tick();
  }

  private RankReport report() {
    return crud.client.resources(RankReport.class).inNamespace("team").withName(REPORT).get();
  }

  private RankReportStatus status() {
    var report = report();
    assertThat(report).isNotNull();
    return report.getStatus();
  }

  @Test
  void shouldTellAtOnceThatTheScriptAsksForARestartAndKeepItSaid() throws IOException {
    optIn();
    print(0, "step 7");
    loop.tick();
    now = now.plusMillis(200);
    var asked = now;
    print(0, "REKINDLE restart before_step=5: loss spike");
    loop.tick();
    var told = new RankReportStatus.RestartAsked("loss spike", 5L, asked);
    assertThat(status().asked()).isEqualTo(told);

    // Another agent, which finds so much said since that it does not read so far back.
    print(0, "x".repeat(70_000));
    loop = newLoop(podLogs);
    tickAfter(Duration.ofSeconds(6));
    assertThat(status().observedTime()).isEqualTo(now);
    assertThat(status().asked()).isEqualTo(told);

    print(1, "starting");
    tickAfter(Duration.ofMillis(200));
    assertThat(status().restartCount()).isEqualTo(1);
    assertThat(status().asked()).isNull();
  }

  @ParameterizedTest
  @CsvSource({"1, 5000", "320, 5000", "1024, 16000", "8192, 20000"})
  void shouldReportMoreSeldomOnABigGangButBeHeard(int pods, long millis) {
    var job =
        new GenericKubernetesResourceBuilder()
            .withNewMetadata()
            .withAnnotations(Map.of("rekindle.dev/recover", "true"))
            .endMetadata()
            .addToAdditionalProperties(
                "spec",
                Map.of(
                    "pytorchReplicaSpecs",
                    Map.of("Master", Map.of(), "Worker", Map.of("replicas", pods - 1))))
            .build();

    assertThat(JobSettings.of(job).interval(Duration.ofSeconds(5)))
        .isEqualTo(Duration.ofMillis(millis));
  }

  @Test
  void shouldOwnByPodAndTellStepAtOnceWhenFirstStepIsPrinted() throws IOException {
    optIn();
    print(0, "hello");
    loop.tick();
    assertThat(status().firstStep()).isNull();
    now = now.plusMillis(200);
    print(0, "step 1 loss 2.0");
    loop.tick();
    assertThat(status()).isEqualTo(new RankReportStatus(0, 1L, now, 1L, now, now, "", null));
    var report = report();
    assertThat(report.getSpec().pod()).isEqualTo("job-worker-0");
    assertThat(report.getSpec().podUid()).isEqualTo("12345678-aaaa");
    assertThat(report.getSpec().node()).isEqualTo("node-1");
    assertThat(report.getSpec().job()).isEqualTo("job");
    assertThat(report.getMetadata().getOwnerReferences()).hasSize(1);
    var owner = report.getMetadata().getOwnerReferences().getFirst();
    assertThat(owner.getKind()).isEqualTo("Pod");
    assertThat(owner.getApiVersion()).isEqualTo("v1");
    assertThat(owner.getUid()).isEqualTo("12345678-aaaa");
  }

  @Test
  void shouldWriteOnlyEachIntervalWhenStepsGoOn() throws IOException {
    optIn();
    print(0, "step 1");
    loop.tick();
    for (int step = 2; step <= 25; step++) {
      now = now.plusMillis(200);
      print(0, "step " + step);
      loop.tick();
    }
    assertThat(status().lastStep()).as("4.8 s after the first").isEqualTo(1);
    tickAfter(Duration.ofMillis(200));
    assertThat(status().lastStep()).isEqualTo(25);
    assertThat(status().firstStep()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(longs = {-3_600, 3_600})
  void shouldGoOnReportingAtItsPaceWhenTheClockIsSet(long seconds) throws IOException {
    optIn();
    print(0, "step 9");
    loop.tick();
    var before = status().observedTime();
    stepped = Duration.ofSeconds(seconds);
    tickAfter(Duration.ofSeconds(1));
    assertThat(status().observedTime()).as("not due yet").isEqualTo(before);
    tickAfter(Duration.ofSeconds(5));
    assertThat(status().observedTime()).isEqualTo(now.plus(stepped));
  }

  @Test
  void shouldRefreshObservedTimeWhenStepsStand() throws IOException {
    optIn();
    print(0, "step 9");
    loop.tick();
    var printed = now;
    tickAfter(Duration.ofSeconds(60));
    assertThat(status().observedTime()).isEqualTo(now);
    assertThat(status().lastStepTime()).isEqualTo(printed);
  }

  @Test
  void shouldTellAtOnceWhenContainerRunsAgainAndWhenItsFirstStepComes() throws IOException {
    optIn();
    print(0, "step 80");
    loop.tick();
    now = now.plusMillis(200);
    print(1, "starting");
    loop.tick();
    assertThat(status()).isEqualTo(new RankReportStatus(1, null, null, null, null, now, "", null));
    now = now.plusMillis(200);
    print(1, "step 51");
    loop.tick();
    assertThat(status().firstStep()).isEqualTo(51);
  }

  @ParameterizedTest
  @CsvSource({
    "rekindle.dev/recover,true,,,true",
    "rekindle.dev/recover,observe,,,true",
    "rekindle.dev/recover,approve,,,true",
    "rekindle.dev/recover,yes,,,false",
    "rekindle.dev/recover,false,kcover.io/cascading-recovery,true,false",
    "other,true,kcover.io/cascading-recovery,true,true",
    "other,true,kcover.io/cascading-recovery,false,false",
    "other,true,,,false"
  })
  void shouldFollowOnlyWhenJobOptedIn(
      String annotation,
      String value,
      @org.jspecify.annotations.Nullable String label,
      @org.jspecify.annotations.Nullable String labelValue,
      boolean followed)
      throws IOException {
    job(
        Map.of(annotation, value),
        label == null || labelValue == null ? Map.of() : Map.of(label, labelValue));
    print(0, "step 1");
    loop.tick();
    assertThat(report() != null).isEqualTo(followed);
    assertThat(loop.followed()).isEqualTo(followed ? 1 : 0);
  }

  @Test
  void shouldFollowWithinThirtySecondsWhenJobOptsInLaterAndStopWhenItOptsOut() throws IOException {
    job(Map.of(), Map.of());
    print(0, "step 1");
    loop.tick();
    assertThat(report()).isNull();
    optIn();
    tickAfter(Duration.ofSeconds(29));
    assertThat(report()).as("the job is not read every time").isNull();
    tickAfter(Duration.ofSeconds(1));
    assertThat(status().lastStep()).isEqualTo(1);
    job(Map.of("rekindle.dev/recover", "no"), Map.of());
    tickAfter(Duration.ofSeconds(30));
    assertThat(loop.followed()).isZero();
  }

  @Test
  void shouldSayWhyWhenStepPatternIsUnusableOrThereIsNoLog() throws IOException {
    job(
        Map.of("rekindle.dev/recover", "true", "rekindle.dev/step-pattern", "step (\\d+"),
        Map.of());
    loop.tick();
    assertThat(status().message()).contains("no RE2 expression").contains("default");
    print(0, "step 3");
    tickAfter(Duration.ofMillis(200));
    assertThat(status().lastStep()).isEqualTo(3);
    job(
        Map.of("rekindle.dev/recover", "true", "rekindle.dev/step-pattern", "batch (\\d+)"),
        Map.of());
    tickAfter(Duration.ofSeconds(30));
    assertThat(status().message()).isEmpty();
    print(0, "batch 7");
    tickAfter(Duration.ofSeconds(5));
    assertThat(status().lastStep()).isEqualTo(7);
  }

  @Test
  void shouldSayThatThereIsNoLogWhenContainerHasNotStarted() {
    optIn();
    loop.tick();
    assertThat(status().message()).contains("no log");
  }

  @Test
  void shouldTellTheLastStepAndThenNothingWhenPodHasFinished() throws IOException {
    optIn();
    print(0, "step 1");
    loop.tick();
    print(0, "step 2");
    pods.set(0, pod(true));
    tickAfter(Duration.ofSeconds(5));
    assertThat(status().lastStep()).isEqualTo(2);
    var told = status().observedTime();
    tickAfter(Duration.ofSeconds(60));
    assertThat(status().observedTime()).isEqualTo(told);
  }

  @Test
  void shouldForgetAndCloseWhenPodIsGone() throws IOException {
    optIn();
    print(0, "step 1");
    loop.tick();
    assertThat(loop.followed()).isEqualTo(1);
    pods.clear();
    loop.tick();
    assertThat(loop.followed()).isZero();
  }

  @Test
  void shouldGoOnFromTheStoredReportWhenAgentIsStartedAgain() throws IOException {
    optIn();
    print(0, "step 1");
    loop.tick();
    loop = newLoop(podLogs);
    print(0, "step 2");
    tickAfter(Duration.ofSeconds(1));
    assertThat(status().lastStep()).isEqualTo(2);
    assertThat(crud.client.resources(RankReport.class).inAnyNamespace().list().getItems())
        .hasSize(1);
  }

  @Test
  void shouldTryAgainLaterAndLaterWhenWritesFail() throws IOException {
    optIn();
    print(0, "step 1");
    loop.tick();
    crud.refuse = request -> request.contains("rankreports") ? 403 : 0;
    print(0, "step 2");
    var writes = new ArrayList<Long>();
    for (long second = 1; second <= 200; second++) {
      var before = crud.requests.size();
      tickAfter(Duration.ofSeconds(1));
      if (crud.requests.subList(before, crud.requests.size()).stream()
          .anyMatch(request -> request.contains("rankreports"))) {
        writes.add(second);
      }
    }
    assertThat(writes).containsExactly(5L, 6L, 8L, 12L, 20L, 36L, 66L, 96L, 126L, 156L, 186L);
    crud.refuse = request -> 0;
    tickAfter(Duration.ofSeconds(30));
    assertThat(status().lastStep()).isEqualTo(2);
  }

  @Test
  void shouldNotTryAgainEveryRoundWhenNewsCannotBeWritten() throws IOException {
    optIn();
    print(0, "hello");
    loop.tick();
    crud.refuse = request -> request.contains("rankreports") ? 403 : 0;
    print(0, "step 1");
    var before = crud.requests.size();
    for (int round = 0; round < 4; round++) {
      tickAfter(Duration.ofMillis(200));
    }
    assertThat(crud.requests.subList(before, crud.requests.size()))
        .filteredOn(request -> request.contains("rankreports"))
        .hasSize(1);
    crud.refuse = request -> 0;
    tickAfter(Duration.ofMillis(400));
    assertThat(status().firstStep()).as("a second after the failure").isEqualTo(1);
  }

  @Test
  void shouldTellAtOnceWhenContainerRunsAgainBeforeItsFirstStep() throws IOException {
    optIn();
    print(0, "hello");
    loop.tick();
    print(1, "hello");
    tickAfter(Duration.ofMillis(200));
    assertThat(status().restartCount()).isEqualTo(1);
  }

  /** A log whose reading fails with whatever is thrown, until it is asked to be read again. */
  private static final class Poisoned implements TrainingLog {
    private @Nullable Throwable poison;
    private int polls;

    Poisoned(Throwable poison) {
      this.poison = poison;
    }

    @Override
    public void use(StepPattern pattern) {}

    @Override
    public void poll() {
      polls++;
      switch (poison) {
        case null -> {}
        case Error error -> throw error;
        case RuntimeException e -> throw e;
        default -> throw new AssertionError(poison);
      }
    }

    @Override
    public Progress progress() {
      return new Progress(0, null, null, null, null);
    }

    @Override
    public @Nullable RestartLine asked() {
      return null;
    }

    @Override
    public void close() {}
  }

  static List<Throwable> poisons() {
    return List.of(
        new StackOverflowError("thrown by the test"),
        new OutOfMemoryError("thrown by the test"),
        new IllegalStateException("thrown by the test"));
  }

  @ParameterizedTest
  @MethodSource("poisons")
  void shouldGiveUpOnePodAloneWhenReadingItThrows(Throwable poison) throws IOException {
    optIn();
    var poisoned = new Poisoned(poison);
    var other = pod("other", "87654321-bbbb", false);
    pods.add(0, other);
    loop =
        newLoop(
            podLogs,
            (path, pattern) ->
                path.toString().contains("_other_") ? poisoned : new PodProgress(path, pattern));
    print(0, "step 1");
    loop.tick();
    assertThat(status().lastStep()).isEqualTo(1);
    print(0, "step 2");
    tickAfter(Duration.ofSeconds(5));
    assertThat(status().lastStep()).as("the pod beside it").isEqualTo(2);

    tickAfter(Duration.ofSeconds(60));
    assertThat(poisoned.polls).as("not five times a second").isEqualTo(1);
    assertThat(loop.unread()).isEqualTo(1);
    assertThat(loop.followed()).isEqualTo(2);
    var unread =
        crud.client
            .resources(RankReport.class)
            .inNamespace("team")
            .withName("other-87654321.node-1")
            .get()
            .getStatus();
    assertThat(unread.message())
        .contains("not read any more")
        .contains(poison.getClass().getSimpleName());
    assertThat(unread.observedTime()).as("nobody has looked").isNull();

    poisoned.poison = null;
    job(
        Map.of("rekindle.dev/recover", "true", "rekindle.dev/step-pattern", "batch (\\d+)"),
        Map.of());
    tickAfter(Duration.ofSeconds(30));
    assertThat(poisoned.polls).as("another pattern is another try").isEqualTo(2);
    assertThat(loop.unread()).isZero();
  }

  @Test
  void shouldMakeItAgainWhenSomebodyDeletedTheReport() throws IOException {
    optIn();
    print(0, "step 1");
    loop.tick();
    crud.client.resources(RankReport.class).inNamespace("team").withName(REPORT).delete();
    tickAfter(Duration.ofSeconds(5));
    tickAfter(Duration.ofSeconds(1));
    assertThat(status().lastStep()).isEqualTo(1);
  }
}
