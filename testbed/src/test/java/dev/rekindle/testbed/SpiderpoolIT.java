package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartWay;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Jobs whose pods have NICs of a real Spiderpool. The nodes 0 and 1 are on leaf-0, 2 and 3 on
 * leaf-1; the master is on node-0, the worker on node-2.
 */
@Order(16)
@OnTestbed
class SpiderpoolIT {
  @AfterAll
  static void stop() {
    Spiderpool.stop();
  }

  private static JobRequest job(Scene scene, String kind, Spiderpool spiderpool) {
    return scene
        .job(kind)
        .inPlace()
        .editTemplates(spiderpool::onRails)
        .workerPrefers("node-2")
        .edit(job -> require(job, "Master", "In"))
        .edit(job -> require(job, "Worker", "NotIn"));
  }

  private static void require(ObjectNode job, String replica, String operator) {
    job.withObject(
            "/spec/pytorchReplicaSpecs/%s/template/spec/affinity/nodeAffinity".formatted(replica))
        .putObject("requiredDuringSchedulingIgnoredDuringExecution")
        .putArray("nodeSelectorTerms")
        .addObject()
        .putArray("matchExpressions")
        .addObject()
        .put("key", "kubernetes.io/hostname")
        .put("operator", operator)
        .putArray("values")
        .add("node-0");
  }

  @Test
  @Order(1)
  void shouldGiveAReplacementTheAddressesOfTheLeafItIsOn(Scene scene) {
    Spiderpool spiderpool = Spiderpool.start(scene);
    for (String rail : Spiderpool.RAILS) {
      spiderpool.pool(rail, "leaf-0", 4);
      spiderpool.pool(rail, "leaf-1", 4);
    }
    TrainingJob job = job(scene, "rails", spiderpool).start();
    job.awaitStep(25);
    assertThat(job.nodeOf("worker-0")).isEqualTo("node-2");
    assertOn(spiderpool, job.pod("worker-0"), "leaf-1");
    Map<String, String> ofMaster = assertOn(spiderpool, job.pod("master-0"), "leaf-0");
    InPlaceRun run = InPlaceRun.of(scene, job);

    scene.cluster().inject("node-2", Cluster.gpuOffTheBus());
    Recovery near = job.recoveries().awaitRecovered();
    run.awaitPast(10);
    Testbed.log("on rails, on the same leaf: %s".formatted(Recoveries.took(near)));

    assertPlanned(near, job, "node-2", "node-3");
    run.survived(job.podNames("master-0"));
    run.replaced(job.name() + "-worker-0");
    run.trainedOnceAndRight(1);
    run.neverSuspended();
    assertOn(spiderpool, job.pod("worker-0"), "leaf-1");
    assertThat(spiderpool.nics(job.pod("master-0"))).isEqualTo(ofMaster);

    InPlaceRun again = InPlaceRun.of(scene, job);
    scene.cluster().inject("node-3", Cluster.gpuOffTheBus());
    Recovery far = job.recoveries().awaitRecovered(2);
    again.awaitPast(10);

    assertPlanned(far, job, "node-3", "node-1");
    again.survived(job.podNames("master-0"));
    assertOn(spiderpool, job.pod("worker-0"), "leaf-0");
    assertThat(spiderpool.nics(job.pod("master-0"))).isEqualTo(ofMaster);
    for (String rail : Spiderpool.RAILS) {
      String left = spiderpool.pool(rail, "leaf-1");
      // Spiderpool gives an address back after the pod that had it is gone.
      Await.until(
          "no address of " + left + " is booked",
          Duration.ofMinutes(1),
          () -> spiderpool.booked(left).isEmpty(),
          () -> spiderpool.booked(left).toString());
      assertThat(spiderpool.booked(spiderpool.pool(rail, "leaf-0")))
          .containsOnly(
              Map.entry(ofMaster.get(spiderpool.pool(rail, "leaf-0")), uid(job.pod("master-0"))),
              Map.entry(
                  spiderpool.nics(job.pod("worker-0")).get(spiderpool.pool(rail, "leaf-0")),
                  uid(job.pod("worker-0"))));
    }
  }

  /** What the only node that is left lacks for rail2. */
  enum Lack {
    /** An address: the pool of its leaf has one, and the master has it. */
    FULL_POOL,
    /** A pool: there is none for its leaf. */
    WRONG_LEAF,
    /** A device. */
    MISSING_RAIL
  }

  /** The worker's node breaks, and only node-1 is left. */
  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Order(2)
  void shouldHoldWhileTheJobTrainsUntilTheOnlyNodeLeftHasWhatItLacks(Lack lack, Scene scene) {
    Spiderpool spiderpool = Spiderpool.start(scene);
    String leaf = lack == Lack.WRONG_LEAF ? "leaf-9" : "leaf-0";
    scene.cluster().label("node-1", Spiderpool.LEAF, leaf);
    scene.cluster().cordon("node-3");
    for (String somewhere : new TreeSet<>(List.of("leaf-0", "leaf-1", leaf))) {
      spiderpool.pool("rail1", somewhere, 4);
    }
    String pool = spiderpool.pool("rail2", "leaf-0", lack == Lack.FULL_POOL ? 1 : 4);
    spiderpool.pool("rail2", "leaf-1", 4);
    if (lack == Lack.MISSING_RAIL) {
      spiderpool.withdraw("node-1", "rail2");
    }
    TrainingJob job = job(scene, "short", spiderpool).light().start();
    job.awaitStep(15);
    InPlaceRun run = InPlaceRun.of(scene, job);
    Map<String, String> before = job.placement();

    spiderpool.awaitSeenByControllers();
    scene.cluster().inject("node-2", Cluster.gpuOffTheBus());
    awaitHeldFor(
        job,
        spiderpool.rail("rail2"),
        switch (lack) {
          case FULL_POOL -> pool;
          case WRONG_LEAF -> "no pool";
          case MISSING_RAIL -> Spiderpool.resource("rail2");
        });
    job.awaitProgress(20);

    assertThat(job.placement()).as("nothing was stopped").isEqualTo(before);
    assertThat(job.log().steps()).allSatisfy(s -> assertThat(s.line().run()).isZero());
    switch (lack) {
      case FULL_POOL -> spiderpool.enlarge(pool);
      case WRONG_LEAF -> spiderpool.pool("rail2", leaf, 1);
      case MISSING_RAIL -> spiderpool.offer("node-1", "rail2", 8);
    }
    Recovery recovery = job.recoveries().awaitRecovered();
    run.awaitPast(10);

    assertPlanned(recovery, job, "node-2", "node-1");
    run.survived(job.podNames("master-0"));
    run.replaced(job.name() + "-worker-0");
    run.neverSuspended();
    assertOn(spiderpool, job.pod("worker-0"), leaf);
  }

  private static void awaitHeldFor(TrainingJob job, String... words) {
    Await.until(
        "a hold that names " + List.of(words),
        Duration.ofMinutes(2),
        () ->
            job.recoveries().all().stream()
                .filter(Recoveries::held)
                .flatMap(r -> Recoveries.status(r).conditions().stream())
                .anyMatch(c -> List.of(words).stream().allMatch(c.getMessage()::contains)),
        job.recoveries()::describe);
  }

  /**
   * A pod that is removed by force while its address is booked, and made again at once, leaves it
   * booked until Spiderpool's scan, every ten minutes. By itself Spiderpool takes an address from a
   * pod on a node that does not answer after twice its grace period and up to 5 s.
   */
  @Test
  @Order(3)
  void shouldRunAgainWithTheOnlyAddressOfAPodOnASilentNode(Scene scene) {
    Spiderpool spiderpool = Spiderpool.start(scene);
    for (String rail : Spiderpool.RAILS) {
      spiderpool.pool(rail, "leaf-0", 1);
      spiderpool.pool(rail, "leaf-1", 1);
    }
    TrainingJob job =
        job(scene, "leak", spiderpool)
            .set("GRACE_SECONDS", "10")
            .annotation("rekindle.dev/restart", "rebuild")
            .annotation("rekindle.dev/stall-timeout", "2m")
            .annotation("rekindle.dev/policy", scene.policy("grace", graceOfThePods()))
            .edit(SpiderpoolIT::withoutACheckpointToJudge)
            .start();
    job.awaitStep(25);
    Map<String, String> before = assertOn(spiderpool, job.pod("worker-0"), "leaf-1");
    Set<String> old = job.placement().keySet();
    scene.cluster().cordon("node-1");

    spiderpool.awaitSeenByControllers();
    scene.cluster().freeze("node-2");
    Recovery recovery = job.recoveries().awaitRecovered();
    job.awaitNewGenerationPast(job.log().reached(), old);
    Testbed.log("on rails, from a silent node: %s".formatted(Recoveries.took(recovery)));

    assertThat(Recoveries.cause(recovery).reason()).isEqualTo("NodeSilent");
    assertThat(job.nodeOf("worker-0")).isEqualTo("node-3");
    assertThat(assertOn(spiderpool, job.pod("worker-0"), "leaf-1")).isEqualTo(before);
    assertThat(spiderpool.refusals(job)).as("sandboxes without an address").isEmpty();
  }

  /** As NCCL 2.21 prints them with NCCL_DEBUG=INFO; node-3 has no device for it. */
  private static final String NCCL_LINES =
      """
      p="$HOSTNAME:1:1 [0] NCCL INFO"
      net=IB; via=IB/0/GDRDMA
      if [ "$NODE" = node-3 ]; then net=Socket; via=Socket/0; fi
      if [ $net = IB ]; then echo "$p NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.0.0.1<0>"; fi
      echo "$p Using network $net"
      echo "$p Channel 00/0 : 0[0] -> 1[0] [send] via NET/$via"
      """;

  private static void printsItsNetwork(ObjectNode template) {
    ArrayNode command = (ArrayNode) template.at("/spec/containers/0/command");
    String script = command.get(2).textValue();
    command.remove(2);
    command.add(NCCL_LINES + script);
    ((ArrayNode) template.at("/spec/containers/0/env"))
        .addObject()
        .put("name", "NODE")
        .putObject("valueFrom")
        .putObject("fieldRef")
        .put("fieldPath", "spec.nodeName");
  }

  @Test
  @Order(4)
  void shouldNotCountAsRecoveredOnTcpWhereTheJobRequiresRdma(Scene scene) {
    Spiderpool spiderpool = Spiderpool.start(scene);
    for (String rail : Spiderpool.RAILS) {
      spiderpool.pool(rail, "leaf-0", 4);
      spiderpool.pool(rail, "leaf-1", 4);
    }
    TrainingJob job =
        job(scene, "tcp", spiderpool)
            .annotation("rekindle.dev/require-rdma", "true")
            .light()
            .editTemplates(SpiderpoolIT::printsItsNetwork)
            .start();
    job.awaitStep(15);
    assertThat(job.nodeOf("worker-0")).isEqualTo("node-2");

    scene.cluster().inject("node-2", Cluster.gpuOffTheBus());
    Recovery recovery = job.recoveries().awaitRecovered();
    Testbed.log("on RDMA at last: %s".formatted(Recoveries.took(recovery)));

    RecoveryStatus status = Recoveries.status(recovery);
    assertThat(status.attempt()).isEqualTo(2);
    assertThat(status.resumes())
        .singleElement()
        .satisfies(attempt -> assertThat(attempt.withoutRdma()).containsExactly("node-3"));
    assertThat(status.conditions())
        .filteredOn(c -> c.getType().equals("RdmaRestored"))
        .singleElement()
        .satisfies(c -> assertThat(c.getReason()).isEqualTo("OnRdma"));
    assertThat(job.nodeOf("worker-0")).isEqualTo("node-1");
  }

  private static RecoveryPolicySpec graceOfThePods() {
    return Serialization.unmarshal(
        """
        detection: {silentNodeSeconds: 8, kubeletRestartSeconds: 45}
        timeouts: {gracePeriodCapSeconds: 10, drainSeconds: 60, readyStableSeconds: 5}
        """,
        RecoveryPolicySpec.class);
  }

  /** Its judgement takes seconds, in which Spiderpool could come first. */
  private static void withoutACheckpointToJudge(ObjectNode job) {
    ((ObjectNode) job.at("/metadata/annotations")).remove("rekindle.dev/checkpoint");
  }

  private static String uid(Pod pod) {
    return pod.getMetadata().getUid();
  }

  private static void assertPlanned(Recovery recovery, TrainingJob job, String from, String to) {
    assertThat(Recoveries.plan(recovery).restart()).isEqualTo(RestartWay.IN_PLACE);
    PlacementPlan plan = Objects.requireNonNull(Recoveries.plan(recovery).placement());
    assertThat(plan.replacements())
        .singleElement()
        .satisfies(
            r -> {
              assertThat(r.pod()).isEqualTo(job.name() + "-worker-0");
              assertThat(r.from()).isEqualTo(from);
              assertThat(r.to()).isEqualTo(to);
            });
    assertThat(job.nodeOf("worker-0")).isEqualTo(to);
  }

  /** A NIC on each rail, each with an address of the leaf; that is what Multus says, too. */
  private static Map<String, String> assertOn(Spiderpool spiderpool, Pod pod, String leaf) {
    Map<String, String> nics = spiderpool.nics(pod);
    assertThat(nics)
        .as("NICs of " + pod.getMetadata().getName())
        .containsOnlyKeys(
            Spiderpool.RAILS.stream().map(rail -> spiderpool.pool(rail, leaf)).toList());
    assertThat(pod.getMetadata().getAnnotations().get("k8s.v1.cni.cncf.io/network-status"))
        .contains(nics.values());
    assertThat(pod.getSpec().getContainers().getFirst().getResources().getLimits())
        .containsOnlyKeys(Spiderpool.RAILS.stream().map(Spiderpool::resource).toList());
    return nics;
  }
}
