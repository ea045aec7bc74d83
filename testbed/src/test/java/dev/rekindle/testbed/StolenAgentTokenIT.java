package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.NodeFaultStatus.State;
import dev.rekindle.api.RankReport;
import dev.rekindle.api.RankReportSpec;
import dev.rekindle.api.RestartReport;
import dev.rekindle.api.RestartReportSpec;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What an attacker on node-1 can write about node-2, with the token of the agent there. */
@OnTestbed
class StolenAgentTokenIT {
  private static final String MINE = "node-1";
  private static final String OTHER = "node-2";

  private static void refused(KubernetesClient thief, String what, HasMetadata object, String why) {
    assertThatThrownBy(() -> thief.resource(object).create())
        .as(what)
        .isInstanceOfSatisfying(
            KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(403))
        .hasMessageContaining(why);
  }

  /** What an agent writes of its own node is stored; it may be collected at once, being made up. */
  private static void written(Scene scene, KubernetesClient thief, HasMetadata object) {
    HasMetadata stored = thief.resource(object).create();
    scene.onCleanUp(() -> scene.client().resource(stored).delete());
    assertThat(stored.getMetadata().getUid()).as("%s", stored.getKind()).isNotEmpty();
  }

  @Test
  void shouldBeAbleToReportFaultsOfItsOwnNodeOnly(Scene scene) {
    try (KubernetesClient thief = StolenToken.ofAgent(scene, MINE)) {
      written(scene, thief, fault(MINE, MINE, MINE));
      refused(thief, "all", fault(OTHER, OTHER, OTHER), "only about its own node");
      refused(thief, "the spec", fault(MINE, MINE, OTHER), "only about its own node");
      refused(thief, "the name", fault(OTHER, MINE, MINE), "the name of this fault must be");
      refused(thief, "the label", fault(MINE, OTHER, MINE), "label rekindle.dev/node");
      refused(thief, "a name in ours", fault(MINE + ".x", MINE, MINE), "the name of this fault");
      NodeFault bound = fault(MINE, MINE, MINE);
      bound.getMetadata().setFinalizers(List.of("example.com/never"));
      refused(thief, "a finalizer", bound, "no finalizers");
    }
  }

  @Test
  void shouldNotBeAbleToChangeFaultsOfOtherNodes(Scene scene) {
    NodeFault stored = scene.client().resource(fault(OTHER, OTHER, OTHER)).create();
    scene.onCleanUp(() -> scene.client().resource(stored).delete());
    try (KubernetesClient thief = StolenToken.ofAgent(scene, MINE)) {
      refusedChange(
          scene,
          stored,
          "clear it",
          now -> {
            now.setStatus(
                new NodeFaultStatus(
                    State.CLEARED,
                    1,
                    Instant.now(),
                    "",
                    1,
                    "",
                    List.of(),
                    "driver",
                    Instant.now()));
            thief.resource(now).updateStatus();
          });
      refusedChange(
          scene,
          stored,
          "hide it from its agent",
          now -> {
            now.getMetadata().getLabels().put("rekindle.dev/node", MINE);
            thief.resource(now).update();
          });
      assertThatThrownBy(() -> thief.resource(stored).delete())
          .as("delete it")
          .isInstanceOfSatisfying(
              KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(403));
    }
  }

  /**
   * Its own agent may write it at the same time; then the API server refuses for another reason.
   */
  private static void refusedChange(
      Scene scene, NodeFault stored, String what, Consumer<NodeFault> change) {
    Await.until(
        "refused: " + what,
        Duration.ofMinutes(1),
        () -> {
          try {
            change.accept(scene.client().resource(stored).get());
          } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
              return false;
            }
            assertThat(e).as(what).hasMessageContaining("only about its own node");
            return true;
          }
          throw new AssertionError("not refused: " + what);
        });
  }

  @Test
  void shouldBeAbleToReportOnPodsAndOrdersInItsOwnNameOnly(Scene scene) {
    try (KubernetesClient thief = StolenToken.ofAgent(scene, MINE)) {
      written(scene, thief, rank("p-1." + MINE, MINE));
      written(scene, thief, restart("o-1." + MINE, MINE));
      refused(thief, "rank", rank("p-1." + OTHER, OTHER), "only about its own node");
      refused(thief, "restart", restart("o-1." + OTHER, OTHER), "only about its own node");
      // The first with the name keeps the other agent from writing.
      refused(thief, "its name", rank("p-1." + OTHER, MINE), "after the first dot");
      refused(thief, "its name", restart("o-1." + OTHER, MINE), "after the first dot");
      refused(thief, "a longer one", rank("p-1.x." + MINE, MINE), "after the first dot");
      refused(thief, "a longer one", restart("o-1.x." + MINE, MINE), "after the first dot");
    }
  }

  private static NodeFault fault(String name, String label, String node) {
    NodeFault fault = new NodeFault();
    fault.setMetadata(
        new ObjectMetaBuilder()
            .withName(name + ".0000-3b-00.xid-43")
            .addToLabels("rekindle.dev/node", label)
            .build());
    fault.setSpec(
        new NodeFaultSpec(
            node,
            ComponentType.GPU,
            "0000:3b:00",
            "XID-43",
            "kmsg",
            FenceGuidance.NEVER,
            "restart_job",
            "boot",
            Instant.now(),
            "made up"));
    return fault;
  }

  private static RankReport rank(String name, String node) {
    RankReport report = new RankReport();
    report.setMetadata(
        new ObjectMetaBuilder().withNamespace(Testbed.NAMESPACE).withName(name).build());
    report.setSpec(new RankReportSpec("pod", "uid", node, "job"));
    return report;
  }

  private static RestartReport restart(String name, String node) {
    RestartReport report = new RestartReport();
    report.setMetadata(
        new ObjectMetaBuilder().withNamespace(Testbed.NAMESPACE).withName(name).build());
    report.setSpec(
        new RestartReportSpec("order", "uid", node, "job", null, "", List.of(), Instant.now()));
    return report;
  }
}
