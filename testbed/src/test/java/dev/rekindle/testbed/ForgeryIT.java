package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartReport;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.api.RestartWay;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * What is written and is not so: by the agent of another node, by a program, by the owner of a job.
 */
@Order(7)
@OnTestbed
class ForgeryIT {
  private static final Duration ENOUGH = Duration.ofSeconds(4);

  /**
   * The agent of the master's node stands still, so that only an attacker with the token of the
   * worker's node says that the master is frozen.
   */
  @Test
  @OnHalfTheNodes
  void shouldNotTakeAContainerForFrozenOnTheWordOfAnotherNodesAgent(Scene scene) {
    String policy = scene.policy("patient", patient());
    TrainingJob job =
        scene.job("report").light().inPlace().annotation("rekindle.dev/policy", policy).start();
    job.awaitStep(15);
    InPlaceRun run = InPlaceRun.of(scene, job);
    Pod victim = job.pod("master-0");
    String mine = job.nodeOf("worker-0");
    List<Long> silenced = scene.agentOn(victim.getSpec().getNodeName());
    Host.signal("STOP", silenced);
    try (KubernetesClient thief = StolenToken.ofAgent(scene, mine)) {
      scene.cluster().inject(mine, Cluster.gpuOffTheBus());
      RestartReport own =
          Await.value(
              "the report of " + mine,
              Duration.ofMinutes(1),
              () ->
                  scene.recorder().of(RestartReport.class).stream()
                      .map(Recorder.ObjectVersion::object)
                      .filter(r -> r.getSpec().job().equals(job.name()))
                      .filter(r -> r.getSpec().done() == RestartInstruction.FREEZE)
                      .findFirst(),
              job.recoveries()::describe);
      assertThat(own.getSpec().node()).isEqualTo(mine);

      assertThatThrownBy(() -> thief.resource(inItsName(own, victim)).create())
          .isInstanceOfSatisfying(
              KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(403))
          .hasMessageContaining("an agent may write only about its own node");
      Await.until(
          "the forged report is written",
          Duration.ofMinutes(1),
          () -> forge(scene, thief, own, victim));

      Await.until(
          "the lie is noticed",
          Duration.ofMinutes(2),
          () ->
              scene.testbed().systemLogs().since(scene.began()).stream()
                  .anyMatch(
                      l ->
                          l.text().contains("Agent reports on pods of another node")
                              && l.text().contains(job.name())));
      Await.never(
          "an order beyond the freeze",
          ENOUGH,
          () ->
              scene.recorder().of(RestartOrder.class).stream()
                  .map(v -> v.object().getSpec())
                  .anyMatch(
                      o ->
                          o.job().equals(job.name())
                              && o.instruction() != RestartInstruction.FREEZE));
    } finally {
      Host.signal("CONT", silenced);
    }

    Recovery recovery = job.recoveries().awaitRecovered();
    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.IN_PLACE);
    run.awaitPast(10);
    run.trainedOnce();
  }

  /** An agent may write its report again between the reading and the writing. */
  private static boolean forge(Scene scene, KubernetesClient thief, RestartReport own, Pod victim) {
    RestartReport now = scene.client().resource(own).get();
    now.setSpec(lie(now.getSpec(), now.getSpec().node(), victim));
    try {
      thief.resource(now).update();
      return true;
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        return false;
      }
      throw e;
    }
  }

  /** Else the gang is rebuilt while the agent stands still. */
  private static RecoveryPolicySpec patient() {
    return Serialization.unmarshal(
        """
        restart: {freezeSeconds: 300}
        timeouts: {gracePeriodCapSeconds: 1, inspectSeconds: 60, readyStableSeconds: 5}
        """,
        RecoveryPolicySpec.class);
  }

  private static RestartReport inItsName(RestartReport own, Pod victim) {
    String other = victim.getSpec().getNodeName();
    RestartReport forged = new RestartReport();
    forged.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(Testbed.NAMESPACE)
            .withName(own.getSpec().order() + "." + other)
            .build());
    forged.setSpec(lie(own.getSpec(), other, victim));
    return forged;
  }

  private static RestartReportSpec lie(RestartReportSpec own, String node, Pod victim) {
    String id = victim.getStatus().getContainerStatuses().getFirst().getContainerID();
    PodRestart frozen =
        new PodRestart(
            victim.getMetadata().getName(),
            victim.getMetadata().getUid(),
            id.substring(id.lastIndexOf('/') + 1),
            0,
            "cgroup-v1",
            State.FROZEN);
    return new RestartReportSpec(
        own.order(),
        own.orderUid(),
        node,
        own.job(),
        own.done(),
        "",
        Stream.concat(own.pods().stream(), Stream.of(frozen)).toList(),
        Instant.now());
  }

  @Test
  @OnHalfTheNodes
  void shouldReadOfTheKernelLogWhatTheKernelSaysAndNoProgram(Scene scene) {
    String node = scene.cluster().nodes().getLast().getMetadata().getName();
    scene.cluster().injectAsProgram(node, Cluster.gpuOffTheBus());
    scene.cluster().inject(node, Cluster.xid(999, "something of the future"));

    scene.cluster().awaitFault(node, "XID-999");
    assertThat(scene.cluster().faults(node)).as("nothing that a program said").hasSize(1);
    scene.cluster().inject(node, Cluster.gpuOffTheBus());
    scene.cluster().awaitFault(node, "XID-79");
  }

  /** To a watch by labels both look alike. */
  @Test
  @OnHalfTheNodes
  void shouldKillProcessesOfADeletedPodAndNotOfOneThatLostItsLabel(Scene scene) {
    TrainingJob job = scene.job("label").light().inPlace().start();
    job.awaitStep(15);
    Pod pod = job.pod("worker-0");
    // The shell; what it starts comes and goes.
    long process = Host.first(job.processes("worker-0"));
    // Else it would end them itself.
    scene.cluster().freezeKubelet(Objects.requireNonNull(pod.getSpec().getNodeName()));
    scene
        .client()
        .resource(pod)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"labels\": {\"training.kubeflow.org/operator-name\": null}}}");
    Await.never("its end", ENOUGH, () -> !Host.runs(process));

    scene.client().resource(pod).withGracePeriod(0).delete();
    Await.until(
        "the processes of the deleted pod ended", Duration.ofMinutes(1), () -> !Host.runs(process));
  }
}
