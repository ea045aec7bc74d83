package dev.rekindle.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Our kinds as they stand in the API server, read by this version and written by it. */
class StoredObjectsTest {
  private static <T> T read(Class<T> kind, String yaml) {
    return Serialization.unmarshal(
        "apiVersion: rekindle.dev/v1alpha1\nkind: " + kind.getSimpleName() + "\n" + yaml, kind);
  }

  @Test
  void shouldReadAFaultOfANewerVersionWhenItHasUnknownFields() {
    NodeFault fault =
        read(
            NodeFault.class,
            """
            metadata: {name: f}
            spec: {node: n, componentType: NVSwitch, code: SXID-20034, fence: Threshold, novel: {a: 1}}
            status: {state: Cleared, count: 3, novel: 1}
            """);

    assertThat(fault.getSpec().componentType()).isEqualTo(ComponentType.NVSWITCH);
    assertThat(fault.getSpec().fence()).isEqualTo(FenceGuidance.THRESHOLD);
    assertThat(fault.getStatus().state()).isEqualTo(NodeFaultStatus.State.CLEARED);
  }

  @Test
  void shouldNeverMeetNullWhereAFieldIsAbsent() {
    Recovery recovery =
        read(
            Recovery.class,
            """
            metadata: {name: r}
            spec: {jobRef: {apiVersion: kubeflow.org/v1, kind: PyTorchJob, name: j, uid: u}}
            status: {phase: Held, cause: {reason: Stalled}, plan: {}, outcome: {}}
            """);
    RecoveryStatus status = recovery.getStatus();

    assertThat(status.timeline()).isEmpty();
    assertThat(status.conditions()).isEmpty();
    assertThat(status.cause())
        .isEqualTo(
            new RecoveryStatus.Cause(
                "Stalled", "", List.of(), List.of(), List.of(), List.of(), null));
    assertThat(status.plan())
        .isEqualTo(new RecoveryStatus.Plan(null, "", List.of(), List.of(), Map.of(), null));
    assertThat(status.outcome())
        .isEqualTo(new RecoveryStatus.Outcome(null, null, null, null, null, Map.of()));
    assertThat(status.phase()).isEqualTo(RecoveryPhase.HELD);
  }

  @Test
  void shouldKeepTimesToTheNanosecond() {
    Instant time = Instant.parse("2026-11-21T06:00:00.123456789Z");
    RankReport report = new RankReport();
    report.setSpec(new RankReportSpec("p", "u", "n", "j"));
    RankReportStatus.RestartAsked asked = new RankReportStatus.RestartAsked("spike", 7L, time);
    var pace = new RankReportStatus.Pace(900, 30, 1_200, 61_000, 3_600, 4, false);
    var witnesses = new RankReportStatus.Witnesses(2, 1, 1);
    report.setStatus(
        new RankReportStatus(
            0, 1L, time, 2L, time, time, "", asked, pace, witnesses, null, null, null, null));

    RankReport read = Serialization.unmarshal(Serialization.asJson(report), RankReport.class);

    assertThat(read.getStatus()).isEqualTo(report.getStatus());
  }

  @Test
  void shouldWriteWordsAndLeaveOutWhatIsAbsent() {
    NodeFault fault = new NodeFault();
    fault.setSpec(
        new NodeFaultSpec(
            "n",
            ComponentType.NODE,
            "",
            "NODE-GONE",
            "node",
            FenceGuidance.NEVER,
            "",
            "",
            null,
            ""));

    JsonNode spec =
        Serialization.unmarshal(Serialization.asJson(fault), JsonNode.class).get("spec");

    assertThat(spec.has("firstSeen")).isFalse();
    assertThat(spec.get("componentType").asText()).isEqualTo("Node");
    assertThat(spec.get("fence").asText()).isEqualTo("Never");
  }

  /** Of an older version, or written past the schema: a typed list must not fail for one object. */
  @Test
  void shouldReadWordsThatItDoesNotKnow() {
    RecoveryStatus status =
        Serialization.unmarshal(
            """
            {"plan": {"restart": "", "checkpoint": {"verdict": "Perfect"}}}
            """,
            RecoveryStatus.class);
    RecoveryStatus.Plan plan = Objects.requireNonNull(status.plan());
    assertThat(plan.restart()).isNull();
    assertThat(Objects.requireNonNull(plan.checkpoint()).verdict())
        .isEqualTo(CheckpointVerdict.UNKNOWN);
    Scorecard.Entry entry =
        Serialization.unmarshal(
            "{\"what\": \"Reboot\", \"verdict\": \"Maybe\"}", Scorecard.Entry.class);
    assertThat(entry.verdict()).isEqualTo(ShadowVerdict.UNKNOWN);
  }
}
