package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RecoveryPolicySpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** What Rekindle keeps its hands off. */
@Order(7)
@OnTestbed
class RefusalIT {
  /** A fence comes within a second of the record; nothing comes later. */
  private static final Duration ENOUGH = Duration.ofSeconds(5);

  @Test
  @OnHalfTheNodes
  void shouldNotTouchAJobThatDidNotOptIn(Scene scene) {
    TrainingJob job = scene.job("stranger").notOptedIn().light().start();
    job.awaitStep(10);
    Set<String> pods = job.placement().keySet();
    String faulty = job.nodeOf("worker-0");
    scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
    scene.cluster().awaitFault(faulty, "XID-79");
    nothingHappens(scene, job, faulty);
    job.awaitProgress(10);
    assertThat(job.placement().keySet()).isEqualTo(pods);
  }

  @Test
  @OnHalfTheNodes
  void shouldLeaveAJobSuspendedThatItsUserSuspended(Scene scene) {
    TrainingJob job = scene.job("resting").set("GRACE_SECONDS", "120").start();
    job.awaitStep(10);
    String faulty = job.nodeOf("worker-0");
    List<Long> ranks =
        Stream.of("master-0", "worker-0").flatMap(r -> job.processes(r).stream()).toList();
    job.suspend(true);
    // Its pods would take their 120 s to end: the fault comes to a node that carries one.
    scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
    scene.cluster().awaitFault(faulty, "XID-79");
    // The node is another matter: its GPU is lost, whatever suspended the job that it carried.
    awaitFenced(scene, faulty);
    assertThat(job.pods()).as("the fault came while pods were there").isNotEmpty();
    Host.kill(ranks);
    Await.until("no pod of the suspended job", Duration.ofMinutes(3), () -> job.pods().isEmpty());
    Await.never("a recovery", ENOUGH, () -> !job.recoveries().all().isEmpty());
    assertThat(Cluster.unschedulable(scene.cluster().node(faulty))).isTrue();
    assertThat(job.suspended()).isTrue();
    assertThat(job.pods()).isEmpty();
    assertThat(job.annotation("rekindle.dev/suspended-by")).isEmpty();
  }

  @Test
  @OnHalfTheNodes
  void shouldNeitherFenceNorRestartOnAnXidOfTheApplication(Scene scene) {
    TrainingJob job = scene.job("xid13").light().start();
    job.awaitStep(10);
    Set<String> pods = job.placement().keySet();
    String node = job.nodeOf("worker-0");
    scene.cluster().inject(node, Cluster.xid(13, "Graphics SM Warp Exception on (GPC 1, TPC 2)"));
    NodeFault fault = scene.cluster().awaitFault(node, "XID-13");
    assertThat(fault.getSpec().fence()).isNotEqualTo(FenceGuidance.ALWAYS);
    nothingHappens(scene, job, node);
    job.awaitProgress(10);
    assertThat(job.placement().keySet()).isEqualTo(pods);
  }

  @Test
  @OnHalfTheNodes
  void shouldStopWhenTheBudgetIsUsedUp(Scene scene) {
    String policy = scene.policy("tight", Policies.restartsAtMost(1));
    awaitAccepted(scene, policy);
    TrainingJob job = scene.job("spent").light().annotation("rekindle.dev/policy", policy).start();
    job.awaitStep(15);
    Set<String> first = job.placement().keySet();
    scene.cluster().inject(job.nodeOf("worker-0"), Cluster.gpuOffTheBus());
    job.recoveries().awaitRecovered();
    job.awaitNewGenerationPast(job.log().reached(), first);

    Set<String> second = job.placement().keySet();
    String faulty = job.nodeOf("worker-0");
    scene.cluster().inject(faulty, Cluster.gpuOffTheBus());
    assertThat(job.awaitEvent("BudgetExhausted")).contains("XID-79");
    Await.never(
        "a second recovery or a suspension",
        ENOUGH,
        () -> job.recoveries().all().size() > 1 || job.suspended());
    // The budget is the job's; the node is fenced all the same, so that nothing else lands there.
    awaitFenced(scene, faulty);
    job.awaitProgress(10);
    assertThat(job.placement().keySet()).isEqualTo(second);
  }

  private static void awaitAccepted(Scene scene, String name) {
    Await.until(
        "policy %s is accepted in its present generation".formatted(name),
        Duration.ofMinutes(2),
        () -> {
          RecoveryPolicy policy =
              scene.client().resources(RecoveryPolicy.class).withName(name).get();
          return policy.getStatus() != null
              && policy.getStatus().conditions().stream()
                  .anyMatch(
                      c ->
                          c.getType().equals("Accepted")
                              && c.getStatus().equals("True")
                              && policy
                                  .getMetadata()
                                  .getGeneration()
                                  .equals(c.getObservedGeneration()));
        });
  }

  private static void awaitFenced(Scene scene, String node) {
    Await.until(
        "%s fenced".formatted(node),
        Cluster.FENCED,
        () -> Cluster.unschedulable(scene.cluster().node(node)));
  }

  private static void nothingHappens(Scene scene, TrainingJob job, String node) {
    Await.never(
        "a fence or a recovery",
        ENOUGH,
        () ->
            Cluster.unschedulable(scene.cluster().node(node)) || !job.recoveries().all().isEmpty());
  }

  /** Policies that differ from the testbed's own. */
  private static final class Policies {
    static RecoveryPolicySpec restartsAtMost(int restarts) {
      return Serialization.unmarshal(
          """
          budget: {maxRestarts: %d}
          restart: {strategy: rebuild}
          detection: {stallSeconds: 60, silentNodeSeconds: 30, kubeletRestartSeconds: 45}
          timeouts:
            gracePeriodCapSeconds: 1
            drainSeconds: 60
            inspectSeconds: 60
            startSeconds: 90
            readyStableSeconds: 5
          """
              .formatted(restarts),
          RecoveryPolicySpec.class);
    }
  }
}
