package dev.rekindle.agent.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.Crud;
import dev.rekindle.agent.pods.ApiPause;
import dev.rekindle.agent.pods.JobLookup;
import dev.rekindle.agent.telemetry.AgentMetrics;
import dev.rekindle.api.RankReport;
import dev.rekindle.api.RankReportStatus;
import dev.rekindle.api.RankReportStatus.Witnesses;
import dev.rekindle.detect.evidence.PodLines;
import dev.rekindle.detect.evidence.RankWitnesses;
import dev.rekindle.detect.pod.TrainingContainer;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.progress.PodProgress;
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
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A pod of a job, its log, and the loop that reports on it to an API server in memory. */
abstract class ProgressFixture {
  static final TrainingPod POD = pod(false);

  static TrainingPod pod(boolean finished) {
    return pod("job-worker-0", "12345678-aaaa", finished);
  }

  static TrainingPod pod(String name, String uid, boolean finished) {
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

  static final String REPORT = "job-worker-0-12345678.node-1";
  @TempDir Path podLogs;
  final Crud crud = new Crud();
  final List<TrainingPod> pods = new ArrayList<>(List.of(POD));
  Instant now = Instant.parse("2026-01-01T00:00:00Z");
  Duration stepped = Duration.ZERO;

  /** What is found of the ranks of a pod that has shown a step. */
  @Nullable Witnesses found;

  /** How often a report was about to be written. */
  int asked;

  final PodLines lines = new PodLines();

  final ApiPause pause = new ApiPause(() -> now);

  ProgressLoop loop = newLoop(Path.of("replaced"));

  ProgressLoop newLoop(Path logs) {
    return newLoop(logs, PodProgress::new);
  }

  ProgressLoop newLoop(Path logs, BiFunction<Path, StepPattern, TrainingLog> opener) {
    return new ProgressLoop(
        logs,
        Duration.ofSeconds(5),
        () -> now.plus(stepped),
        () -> now,
        () -> pods,
        new JobLookup(crud.client, () -> now, pause),
        pause,
        new ReportWriter(crud.client, "node-1"),
        new AgentMetrics(new PrometheusRegistry()),
        new RankWitnesses() {
          @Override
          public Optional<Witnesses> of(TrainingPod pod, boolean steps) {
            asked++;
            return Optional.ofNullable(steps ? found : null);
          }

          @Override
          public void retain(Set<String> podUids) {}
        },
        lines,
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

  void job(Map<String, String> annotations, Map<String, String> labels) {
    job("team", "job", annotations, labels);
  }

  void job(
      String namespace, String name, Map<String, String> annotations, Map<String, String> labels) {
    GenericKubernetesResource job =
        new GenericKubernetesResourceBuilder()
            .withApiVersion("kubeflow.org/v1")
            .withKind("PyTorchJob")
            .withNewMetadata()
            .withNamespace(namespace)
            .withName(name)
            .withAnnotations(annotations)
            .withLabels(labels)
            .endMetadata()
            .build();
    crud.client
        .resource(job)
        .createOr(io.fabric8.kubernetes.client.dsl.NonDeletingOperation::update);
  }

  void optIn() {
    job(Map.of("rekindle.dev/recover", "true"), Map.of());
  }

  void print(int run, String text) throws IOException {
    var directory =
        Files.createDirectories(podLogs.resolve("team_job-worker-0_12345678-aaaa/pytorch"));
    Files.writeString(
        directory.resolve(run + ".log"),
        now + " stdout F " + text + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  void tickAfter(Duration time) {
    now = now.plus(time);
    loop.tick();
  }

  RankReport report() {
    return crud.client.resources(RankReport.class).inNamespace("team").withName(REPORT).get();
  }

  RankReportStatus status() {
    var report = report();
    assertThat(report).isNotNull();
    return report.getStatus();
  }
}
