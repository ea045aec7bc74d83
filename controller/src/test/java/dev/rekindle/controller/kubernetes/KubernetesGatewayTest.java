package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryEvent;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.GivenCheckpoint;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pods, recoveries, orders, events and inspectors. */
class KubernetesGatewayTest extends KubernetesGatewayFixture {
  private RecoveryView draft() {
    return new RecoveryView(
        "team",
        "mnist-r1",
        "",
        "",
        new RecoverySpec(JobRef.pyTorchJob("mnist", "u"), NOW, null),
        null);
  }

  @Test
  void shouldGiveAPodItsCheckpointAndTakeItBack() {
    Pod pod =
        client
            .resource(
                new PodBuilder()
                    .withNewMetadata()
                    .withNamespace("team")
                    .withName("mnist-master-0")
                    .endMetadata()
                    .build())
            .create();
    String uid = pod.getMetadata().getUid();
    GivenCheckpoint given = new GivenCheckpoint("mnist-r2-1", "/ckpt/step-40", 40L, "dcp");
    gateway.injectResume(JOB, "mnist-master-0", uid, given);
    assertThat(client.resource(pod).get().getMetadata().getAnnotations())
        .containsEntry("rekindle.dev/resume-from", "/ckpt/step-40")
        .containsEntry("rekindle.dev/resume-step", "40")
        .containsEntry("rekindle.dev/resume-format", "dcp")
        .containsEntry("rekindle.dev/resume-attempt", "mnist-r2-1");
    gateway.injectResume(
        JOB, "mnist-master-0", uid, new GivenCheckpoint("mnist-r3-1", "", null, ""));
    assertThat(client.resource(pod).get().getMetadata().getAnnotations())
        .containsEntry("rekindle.dev/resume-from", "")
        .containsEntry("rekindle.dev/resume-step", "")
        .containsEntry("rekindle.dev/resume-format", "");
  }

  @Test
  void shouldReadANodeWhateverTheWatchShows() {
    Node node =
        new NodeBuilder()
            .withNewMetadata()
            .withName("n1")
            .endMetadata()
            .withNewStatus()
            .addNewCondition()
            .withType("XIDErrors")
            .withStatus("True")
            .endCondition()
            .addNewCondition()
            .withType("Other")
            .withStatus("True")
            .endCondition()
            .endStatus()
            .build();
    client.resource(node).create();
    assertThat(gateway.liveNode("n1", "XIDErrors"::equals))
        .map(live -> live.signs().conditions())
        .hasValueSatisfying(
            conditions ->
                assertThat(conditions)
                    .singleElement()
                    .satisfies(c -> assertThat(c.type()).isEqualTo("XIDErrors")));
    assertThat(gateway.liveNode("n2", "XIDErrors"::equals)).isEmpty();
  }

  @Test
  void shouldReportWhenAKubeletWasLastHeard() {
    Lease lease =
        new LeaseBuilder()
            .withNewMetadata()
            .withNamespace("kube-node-lease")
            .withName("n1")
            .endMetadata()
            .withNewSpec()
            .withRenewTime(NOW.atZone(ZoneOffset.UTC))
            .endSpec()
            .build();
    client.resource(lease).create();
    assertThat(gateway.lease("n1")).contains(NOW);
    assertThat(gateway.lease("n2")).isEmpty();
  }

  @Test
  void shouldReadItsOwnRecoveriesAtOnce() {
    RecoveryView opened = gateway.open(draft());
    assertThat(gateway.open(draft()).uid()).isEqualTo(opened.uid());
    assertThat(state.views().recoveries(JOB)).containsExactly(opened);
    assertThat(client.resources(Recovery.class).inNamespace("team").list().getItems())
        .as("belongs to no object, and so stays when its job is deleted")
        .singleElement()
        .satisfies(r -> assertThat(r.getMetadata().getOwnerReferences()).isEmpty());
    RecoveryView saved = gateway.save(opened.with(status(RecoveryPhase.FENCING)));
    assertThat(state.views().recoveries(JOB)).containsExactly(saved);
    RecoveryView gone = new RecoveryView("team", "gone", "u", "1", saved.spec(), saved.status());
    assertThatThrownBy(() -> gateway.save(gone)).isInstanceOf(StaleException.class);
  }

  @Test
  void shouldMoveAnOrderOnNeverBackAndTakeItBackTwiceWithoutHarm() {
    RecoveryView recovery = gateway.open(draft());
    gateway.order(recovery, "mnist-r1-1", restart(RestartInstruction.FREEZE));
    gateway.order(recovery, "mnist-r1-1", restart(RestartInstruction.RESTART_LEADER));
    gateway.order(recovery, "mnist-r1-1", restart(RestartInstruction.FREEZE));

    RestartOrder stored =
        client.resources(RestartOrder.class).inNamespace("team").withName("mnist-r1-1").get();
    assertThat(stored.getSpec().instruction()).isEqualTo(RestartInstruction.RESTART_LEADER);
    assertThat(stored.getMetadata().getGeneration()).as("writes").isLessThanOrEqualTo(2);
    assertThat(stored.getMetadata().getOwnerReferences())
        .singleElement()
        .satisfies(o -> assertThat(o.getName()).isEqualTo("mnist-r1"));
    gateway.withdraw(JOB, "mnist-r1-1");
    gateway.withdraw(JOB, "mnist-r1-1");
    assertThat(client.resources(RestartOrder.class).inNamespace("team").list().getItems())
        .isEmpty();
  }

  private static RestartOrderSpec restart(RestartInstruction instruction) {
    return new RestartOrderSpec(
        JobRef.pyTorchJob("mnist", "u"), "mnist-r1", instruction, "leader", NOW);
  }

  @Test
  void shouldCountAnEventUpWhenItIsSaidAgain() {
    ClusterEvent said = new ClusterEvent(JOB, "u", Reason.NODE_FENCED, "n1 was cordoned", "n1");
    gateway.recordEvent(said);
    gateway.recordEvent(said);
    var events = client.events().v1().events().inNamespace("team").list().getItems();
    assertThat(events).hasSize(1);
    assertThat(events.getFirst().getSeries().getCount()).isEqualTo(2);
  }

  /** Also where the status has cut the note that it keeps. */
  @ParameterizedTest
  @ValueSource(strings = {"held", "é", "🔥", "x"})
  void shouldLeaveAnEventThatAnotherProcessMayHaveWritten(String text) {
    String note = text.repeat(1_500 / text.length());
    String kept = new RecoveryEvent(NOW, "RecoveryHeld", note, "n1").note();
    var said = new ClusterEvent(JOB, "u", Reason.RECOVERY_HELD, "r: " + note, "n1");
    var again = new ClusterEvent(JOB, "u", Reason.RECOVERY_HELD, "r: " + kept, "n1");
    gateway.recordEvent(said);
    gateway.recordEventOnce(again, NOW);
    gateway.recordEventOnce(new ClusterEvent(JOB, "u", Reason.NODE_FENCED, "n1", "n1"), NOW);
    assertThat(client.events().v1().events().inNamespace("team").list().getItems())
        .extracting(Event::getReason, Event::getSeries)
        .containsExactlyInAnyOrder(tuple("RecoveryHeld", null), tuple("NodeFenced", null));
  }

  @Test
  void shouldSayWhyNoInspectorCanBeStarted() {
    String uid = job(OPTED_IN, "false", "{}");
    assertThat(gateway.startInspector(JOB, uid, "r1"))
        .hasValueSatisfying(unable -> assertThat(unable.reason()).contains("does not say where"));
    assertThat(gateway.inspect(JOB, "r1")).isInstanceOf(Inspection.Absent.class);
    gateway.stopInspector(JOB, "r1");
  }
}
