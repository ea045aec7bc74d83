package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.BoundVolume;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodNeeds.Condition;
import dev.rekindle.controller.model.PodNeeds.Term;
import dev.rekindle.controller.model.ResumeOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A drained gang of three, on five nodes; node-0 alone reaches a volume of its master. */
class VolumeRoomTest extends UnknownCheckpointsFixture {
  private static final Map<String, Long> TAKEN = Map.of("node-0", 8L);

  private static JobView bound(JobView job) {
    BoundVolume volume =
        new BoundVolume(
            "ckpt",
            "local",
            List.of(
                new Term(
                    List.of(), List.of(new Condition("metadata.name", "In", List.of("node-0"))))));
    return job.withReplicas(
            job.replicas().stream()
                .map(
                    r ->
                        r.type().equals(JobView.Replica.MASTER)
                            ? r.withNeeds(r.needs().withClaims(List.of("ckpt")))
                            : r)
                .toList())
        .withVolumes(List.of(volume));
  }

  /** Node-1 is the one that the recovery blames. */
  private static Map<String, NodeView> nodes() {
    Map<String, NodeView> nodes = new HashMap<>(Given.nodes());
    nodes.put("node-4", Given.node("node-4"));
    return nodes;
  }

  private static RecoverySnapshot drained(Inspection inspection) {
    RecoverySnapshot s = planning(inspection).withNodes(nodes());
    return s.withJob(bound(Objects.requireNonNull(s.job())));
  }

  private static RecoverySnapshot found() {
    return drained(scan(40)).withScanFloor(0L);
  }

  private static String said(RecoveryStatus held) {
    return held.timeline().getLast().detail();
  }

  @Test
  void shouldHoldWhereOthersHaveTheNodesThatReachTheVolume() {
    RecoverySnapshot s = found();
    assertThat(next(s).phase()).isEqualTo(RecoveryPhase.RESUMING);

    RecoveryStatus held = next(s.withTaken(TAKEN));

    assertThat(held.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(said(held))
        .startsWith("NoCapacity: needed: 3 pods with 8 GPUs; free: 24 GPUs on 3 nodes")
        .endsWith("; claim ckpt (local): only node-0 (0 of 8 GPUs free) reaches it");
    RecoverySnapshot waits = s.with(held).withInspectorStarted(false);
    assertThat(decide(waits.withTaken(TAKEN), NOW))
        .as("it stays held, and does not go to and fro")
        .isInstanceOf(Decision.Wait.class);
    assertThat(entered(decide(waits, NOW))).isEqualTo(RecoveryPhase.PLANNING);
  }

  /** There is no place for it either, and the hold for the checkpoints says what to do. */
  @Test
  void shouldSayFirstThatTheCheckpointsAreOutOfReach() {
    Map<String, NodeView> nodes = nodes();
    nodes.computeIfPresent("node-0", (_, node) -> node.withUnschedulable(true));
    RecoverySnapshot away =
        drained(new Inspection.Unable("claim ckpt is on node-0 (cordoned)", true))
            .with(b -> b.nodes(nodes));

    assertThat(said(next(away))).startsWith("CheckpointUnknown: claim ckpt is on node-0");
    assertThat(
            said(
                next(away.withJob(Objects.requireNonNull(away.job()).withBeginsUnreachable(true)))))
        .as("a script that may begin without them has no place all the same")
        .startsWith("NoCapacity: ")
        .endsWith("claim ckpt (local): only node-0 (cordoned) reaches it");
  }

  private static RecoverySnapshot planned() {
    RecoverySnapshot s = found();
    return s.with(next(s));
  }

  @Test
  void shouldPlanAgainWhereOthersHaveTakenSuchANodeSince() {
    Decision decision = decide(planned().withTaken(TAKEN), NOW);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.PLANNING);
    assertThat(detail(decision)).startsWith("there is no room any more: ").contains("claim ckpt");
  }

  private static ResumeOrder order(RecoverySnapshot s) {
    return ((Decision.Act) decide(s, NOW))
        .effects().stream()
            .filter(Effect.Resume.class::isInstance)
            .map(e -> ((Effect.Resume) e).order())
            .findFirst()
            .orElseThrow();
  }

  /** A worker that is scheduled first would take it. */
  @Test
  void shouldLeaveTheNodeToTheMaster() {
    ResumeOrder order = order(planned());
    assertThat(order.plannedHostnames()).containsExactly("node-0.host");
    assertThat(order.plannedForMaster()).isTrue();

    JobView anywhere = Objects.requireNonNull(planned().job()).withVolumes(List.of());
    ResumeOrder other = order(planned().withJob(anywhere));
    assertThat(other.plannedHostnames()).isEmpty();
    assertThat(other.plannedForMaster()).isFalse();
  }
}
