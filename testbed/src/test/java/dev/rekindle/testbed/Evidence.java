package dev.rekindle.testbed;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.RankReport;
import dev.rekindle.api.Recovery;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What a person needs to understand why a test failed, written into a folder of its own. */
final class Evidence {
  private static final int TAIL = 80;

  private final Scene scene;
  private final Path folder;

  private Evidence(Scene scene, Path folder) {
    this.scene = scene;
    this.folder = folder;
  }

  static Evidence of(Scene scene) {
    String name = scene.name().replaceAll("[^A-Za-z0-9._-]+", "_");
    return new Evidence(scene, Testbed.OUT.resolve(name));
  }

  void write() {
    Scene.deleteFolder(folder);
    KubernetesClient client = scene.client();
    file("recoveries.yaml", () -> Serialization.asYaml(client.resources(Recovery.class).list()));
    file("nodefaults.yaml", () -> Serialization.asYaml(client.resources(NodeFault.class).list()));
    file(
        "rankreports.yaml",
        () -> Serialization.asYaml(client.resources(RankReport.class).inAnyNamespace().list()));
    file("nodes.yaml", () -> Serialization.asYaml(client.nodes().list()));
    file("system-pods.yaml", () -> Serialization.asYaml(systemPods(client)));
    file("events.txt", () -> events(client));
    file("objects.txt", () -> String.join("\n", scene.recorder().lines()));
    for (TrainingJob job : scene.jobs()) {
      file(job.name() + ".yaml", () -> Serialization.asYaml(job.object()));
      file(job.name() + "-pods.yaml", () -> Serialization.asYaml(job.pods()));
      trainerLogs(job);
    }
    systemLogs();
    Testbed.log("evidence: " + folder);
  }

  private static Object systemPods(KubernetesClient client) {
    return client.pods().inNamespace(ControllerProcess.NAMESPACE).list();
  }

  private static String events(KubernetesClient client) {
    return client.events().v1().events().inAnyNamespace().list().getItems().stream()
        .map(
            e ->
                "%s %s %s %s/%s: %s"
                    .formatted(
                        e.getEventTime() == null
                            ? e.getMetadata().getCreationTimestamp()
                            : e.getEventTime().getTime(),
                        e.getType(),
                        e.getReason(),
                        e.getRegarding() == null ? "" : e.getRegarding().getKind(),
                        e.getRegarding() == null ? "" : e.getRegarding().getName(),
                        e.getNote()))
        .sorted()
        .collect(Collectors.joining("\n"));
  }

  private void systemLogs() {
    Map<String, List<LogLine>> byPod =
        scene.testbed().systemLogs().since(scene.began().minus(Duration.ofSeconds(2))).stream()
            .collect(Collectors.groupingBy(l -> l.pod() + "-" + l.run()));
    byPod.forEach((pod, lines) -> file(pod + ".log", () -> text(lines, Integer.MAX_VALUE)));
  }

  private void trainerLogs(TrainingJob job) {
    List<LogLine> steps = job.log().steps().stream().map(TrainingLog.Step::line).toList();
    Map<String, List<LogLine>> byRun =
        java.util.stream.Stream.concat(steps.stream(), job.log().lines().stream())
            .collect(Collectors.groupingBy(l -> "%s-%.8s-%d".formatted(l.pod(), l.uid(), l.run())));
    byRun.forEach((run, lines) -> file(run + ".log", () -> text(lines, TAIL)));
  }

  private static String text(List<LogLine> lines, int last) {
    return lines.stream()
        .sorted(java.util.Comparator.comparing(LogLine::time))
        .skip(Math.max(0L, (long) lines.size() - last))
        .map(l -> l.time() + " " + l.node() + " " + l.text())
        .collect(Collectors.joining("\n"));
  }

  /** A part that cannot be had must not hide the others. */
  private void file(String name, Supplier<String> content) {
    String text;
    try {
      text = content.get();
    } catch (RuntimeException | AssertionError e) {
      text = "not to be had: " + e;
    }
    try {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve(name), text + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
