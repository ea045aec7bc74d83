package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** From the installation to the day on which a repaired node is given back. */
@Order(9)
@OnTestbed
class LifecycleIT {
  /** Bytes of a log, some ten lines. */
  private static final int BEGINNING = 2_048;

  private static final String ANOTHER_ENVIRONMENT =
      "controller.extraEnv[0].name=REKINDLE_UPGRADED,controller.extraEnv[0].value=yes";

  @Test
  void shouldHaveEverythingReadyAfterTheInstallation(Scene scene) {
    List<String> nodes =
        scene.client().nodes().list().getItems().stream()
            .map(n -> n.getMetadata().getName())
            .toList();
    // One that another test has replaced may still be ending, and its successor beginning.
    Await.until(
        "all pods of the installation Ready",
        Duration.ofMinutes(3),
        () ->
            pods(scene).size() == 3 + nodes.size()
                && pods(scene).stream().allMatch(ControllerProcess::ready),
        () -> pods(scene).toString());
    List<Pod> pods = pods(scene);
    assertThat(pods)
        .as("two controllers, a console, and an agent on each node")
        .hasSize(3 + nodes.size());
    assertThat(pods).allMatch(ControllerProcess::ready);
    assertThat(pods).extracting(p -> p.getSpec().getNodeName()).containsAll(nodes);
    assertThat(pods)
        .extracting(p -> p.getSpec().getServiceAccountName())
        .as("accounts of their own")
        .containsOnly("rekindle-controller", "rekindle-console", "rekindle-agent");
  }

  private static List<Pod> pods(Scene scene) {
    return scene.client().pods().inNamespace(ControllerProcess.NAMESPACE).list().getItems().stream()
        .filter(p -> p.getMetadata().getDeletionTimestamp() == null)
        .toList();
  }

  /** Of agents, which read their rules, state and devices at once; other tests come after that. */
  @Test
  void shouldStartEachAgentWithoutAnError(Scene scene) {
    var pods = scene.client().pods().inNamespace(ControllerProcess.NAMESPACE);
    List<String> agents =
        pods.list().getItems().stream()
            .filter(p -> p.getSpec().getServiceAccountName().equals("rekindle-agent"))
            .map(p -> p.getMetadata().getName())
            .toList();
    assertThat(agents).isNotEmpty();
    for (String agent : agents) {
      assertThat(pods.withName(agent).limitBytes(BEGINNING).getLog().lines())
          .as(agent)
          .isNotEmpty()
          .noneMatch(line -> line.contains("level=error"));
    }
  }

  @Test
  void shouldPassHelmsTestOfTheInstallation(Scene scene) {
    Helm helm = new Helm(scene);
    assertThat(ControllerProcess.ready(scene.controller().leader())).isTrue();
    try {
      assertThat(helm.run("test", "rekindle", "--logs", "--timeout", "200s"))
          .contains("Succeeded", "ok       leader", "ok       agents", "ok       console")
          .doesNotContain("FAILED");
    } finally {
      helm.forgetHooks();
    }
  }

  @Test
  void shouldSendATestEventFromAPodOfTheController(Scene scene) {
    assertThat(CommandLine.rekindle("notify-test")).isEqualTo("ok       testbed: taken\n");
    assertThat(CommandLine.rekindle("notify-test", "-o", "yaml"))
        .isEqualTo("webhooks:\n- webhook: \"testbed\"\n  taken: true\n  detail: \"taken\"\n");
    assertThat(scene.testbed().receiver().of("test")).contains("dev.rekindle.test.v1");
  }

  @Test
  void shouldAcceptTheInstallationThatTheReadmeShows(Scene scene) {
    List<String> shown = Readme.commands("helm");
    assertThat(shown).isNotEmpty();
    assertThat(scene.controller().pods()).isNotEmpty();
    for (String command : shown) {
      assertThat(Readme.run(command, Map.of("REGISTRY", "localhost", "TAG", "dev")))
          .contains("STATUS: pending-install", "image: localhost/rekindle:dev");
    }
  }

  @Test
  void shouldAnswerTheCommandsOfTheReadmeAndGiveANodeBackWhenItsFaultIsDeleted(Scene scene) {
    TrainingJob job = scene.job("repaired").light().start();
    job.awaitStep(12);
    String faulty = job.nodeOf("worker-0");
    Set<String> old = job.placement().keySet();
    scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
    Recovery recovery = job.recoveries().awaitRecovered();
    job.awaitNewGenerationPast(job.log().reached(), old);
    assertThat(Cluster.fencedByUs(scene.cluster().node(faulty))).isTrue();

    showsItsPage(scene, recovery);
    notifiesOf(scene, Testbed.NAMESPACE + "/" + recovery.getMetadata().getName(), faulty);
    // The last one of them deletes the fault.
    answerTheReadme(
        Map.of(
            "demo-r1",
            recovery.getMetadata().getName(),
            "NAME",
            scene.cluster().faults(faulty).getFirst().getMetadata().getName()));
    assertThat(scene.cluster().faults(faulty)).isEmpty();
    scene.cluster().awaitAllUsable();
    assertThat(Cluster.annotations(scene.cluster().node(faulty)))
        .doesNotContainKeys(Cluster.FENCED_BY, Cluster.FENCE_REASON, Cluster.FENCED_AT);
    Await.until(
        "a notification of the release",
        Duration.ofMinutes(2),
        () ->
            scene
                .testbed()
                .receiver()
                .of(faulty)
                .getLast()
                .equals("dev.rekindle.node.released.v1"));
  }

  /** The webhook of the installation; a pause after failures in an earlier test may be long. */
  private static void notifiesOf(Scene scene, String recovery, String faulty) {
    Await.until(
        "a notification of the end",
        Duration.ofMinutes(6),
        () ->
            scene.testbed().receiver().of(recovery).contains("dev.rekindle.recovery.recovered.v1"));
    assertThat(scene.testbed().receiver().of(recovery))
        .startsWith("dev.rekindle.recovery.opened.v1")
        .contains("dev.rekindle.recovery.planning.v1", "dev.rekindle.recovery.verifying.v1")
        .endsWith("dev.rekindle.recovery.recovered.v1");
    Await.until(
        "a notification of the fence",
        Duration.ofMinutes(6),
        () -> scene.testbed().receiver().of(faulty).contains("dev.rekindle.node.fenced.v1"));
  }

  /** The console of the installation, to whom may see it and to whom may not. */
  private static void showsItsPage(Scene scene, Recovery recovery) {
    ConsoleClient console = new ConsoleClient(scene);
    String page = "/recoveries/" + Testbed.NAMESPACE + "/" + recovery.getMetadata().getName();
    assertThat(console.get(page, console.viewerOf(Testbed.NAMESPACE)))
        .satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(200))
        .satisfies(
            answer ->
                assertThat(answer.body())
                    .contains("Detected", "Draining", "Planning", "Verifying", "Recovered"));
    assertThat(console.get(page, console.viewerOf("kube-public")).statusCode())
        .as("for somebody who may list recoveries of another namespace")
        .isEqualTo(403);
  }

  private static void answerTheReadme(Map<String, String> names) {
    List<String> shown = Readme.commands("kubectl");
    assertThat(shown).last().asString().isEqualTo("kubectl delete nodefault NAME");
    for (String command : shown) {
      String answer = Readme.run(command, names);
      assertThat(answer).as(command).isNotBlank();
      if (command.equals("kubectl get recoveries")) {
        assertThat(answer.lines().findFirst().orElseThrow().split(" +"))
            .as("columns, as the README shows them")
            .containsExactly("NAME", "JOB", "PHASE", "CAUSE", "NODES", "STEP", "DOWNTIME", "AGE");
      }
    }
  }

  /** As a person who finds it in the list. */
  private static void approve(TrainingJob job, Runnable whileItWaits) {
    Await.until(
        "the recovery waits for a person",
        Duration.ofMinutes(2),
        () -> job.recoveries().all().stream().anyMatch(Recoveries::held));
    whileItWaits.run();
    String name = job.recoveries().all().getFirst().getMetadata().getName();
    String[] list = {"list", "-n", Testbed.NAMESPACE, "--job", job.name(), "--open"};
    assertThat(CommandLine.rekindle(list)).hasLineCount(2).contains(name, "Held");
    assertThat(CommandLine.rekindle("approve", "-n", Testbed.NAMESPACE, name))
        .isEqualTo("recovery/" + name + " approved\n");
  }

  /** While a recovery is open, Helm neither removes Rekindle nor has it watch other namespaces. */
  private static void staysInstalled(Scene scene, TrainingJob job) {
    Helm helm = new Helm(scene);
    try {
      assertThat(helm.fail("uninstall", "rekindle", "--timeout", "200s")).contains("pre-delete");
      assertThat(helm.logOfTheCheck()).contains("REFUSED: ", "of job " + job.name() + ": Held");
      assertThat(helm.run("status", "rekindle")).contains("STATUS: uninstalling");
      // As the log advises: no object changes.
      helm.run("rollback", "rekindle", helm.revision());
      assertThat(helm.run("status", "rekindle")).contains("STATUS: deployed");
      assertThat(
              helm.fail(
                  "upgrade",
                  "rekindle",
                  "charts/rekindle",
                  "--reuse-values",
                  "--set",
                  "watchNamespaces={kube-public}",
                  "--dry-run=server"))
          .contains("is open and watchNamespaces leaves its namespace out");
      // Both controllers are replaced, and with them what they had in memory of the recovery.
      upgrade(helm, "upgrade", "charts/rekindle", "--reuse-values", "--set", ANOTHER_ENVIRONMENT);
      assertThat(job.recoveries().all()).hasSize(1).allMatch(Recoveries::held);
    } finally {
      helm.forgetHooks();
    }
  }

  private static void upgrade(Helm helm, String command, String... words) {
    List<String> all = new ArrayList<>(List.of(command, "rekindle"));
    all.addAll(List.of(words));
    all.addAll(List.of("--wait", "--timeout", "200s"));
    helm.run(all.toArray(String[]::new));
  }

  @Test
  void shouldNeverLiftACordonThatIsNotOurs(Scene scene) {
    TrainingJob job =
        scene.job("cordoned").light().annotation("rekindle.dev/recover", "approve").start();
    job.awaitStep(12);
    String faulty = job.nodeOf("worker-0");
    Set<String> old = job.placement().keySet();
    scene.cluster().cordon(faulty);
    scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
    String revision = new Helm(scene).revision();
    approve(job, () -> staysInstalled(scene, job));
    // And again, while it continues.
    upgrade(new Helm(scene), "rollback", revision);
    Recovery recovery = job.recoveries().awaitRecovered();
    job.awaitNewGenerationPast(job.log().reached(), old);
    assertThat(job.placement().values()).doesNotContain(faulty);
    assertThat(
            CommandLine.rekindle(
                "timeline", "-n", Testbed.NAMESPACE, recovery.getMetadata().getName()))
        .contains("Detected", "Held", "Recovered");

    assertThat(CommandLine.rekindle("release", faulty, "--yes"))
        .contains("delete nodefault/", "leave the cordon of node/" + faulty)
        .doesNotContain("uncordon");
    assertThat(scene.cluster().faults(faulty)).isEmpty();
    Await.never(
        "the user's cordon lifted",
        Duration.ofSeconds(5),
        () -> !Cluster.unschedulable(scene.cluster().node(faulty)));
  }
}
