package dev.rekindle.agent.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.NodeFaultStatus.State;
import dev.rekindle.detect.fault.FaultWriter;
import dev.rekindle.detect.kmsg.Boot;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is written of faults that are seen, once and again. */
class FaultWriterTest extends FaultWriterFixture {
  private static final String UUID = "GPU-5b1c0d3e-6f5a-4c0e-9d5f-3b0000000000";
  private static final Boot NEXT_BOOT = new Boot("boot-2", Instant.parse("2026-01-02T00:00:00Z"));

  @Test
  void shouldCarryEverythingInSpecWhenFaultIsSeenFirst() {
    assertThat(log(BOOT, 5, BUS)).isTrue();
    var spec = stored("node-1.0000-3b-00.xid-79").getSpec();
    assertThat(spec.node()).isEqualTo("node-1");
    assertThat(spec.componentType()).isEqualTo(ComponentType.GPU);
    assertThat(spec.componentId()).isEqualTo("0000:3b:00");
    assertThat(spec.code()).isEqualTo("XID-79");
    assertThat(spec.detector()).isEqualTo("kmsg");
    assertThat(spec.fence()).isEqualTo(FenceGuidance.ALWAYS);
    assertThat(spec.action()).isEqualTo("reboot_node");
    assertThat(spec.bootId()).isEqualTo("boot-1");
    assertThat(spec.firstSeen()).isEqualTo(Instant.parse("2026-01-01T00:00:05Z"));
    assertThat(spec.evidence()).isEqualTo(BUS);
    assertThat(status("node-1.0000-3b-00.xid-79"))
        .isEqualTo(
            new NodeFaultStatus(
                State.ACTIVE,
                1,
                Instant.parse("2026-01-01T00:00:05Z"),
                "boot-1",
                5,
                BUS,
                List.of(incident("boot-1", 5, 5, 1)),
                "",
                null));
  }

  /** Pods hold a GPU by its UUID, and the line of an XID has its address only. */
  @Test
  void shouldCarryTheUuidThatTheDriverHasLogged() {
    var sink = sink(BOOT);
    accept(sink, 4, "NVRM: GPU at PCI:0000:3b:00: " + UUID);
    accept(sink, 5, BUS);
    accept(sink, 6, BUS.replace("3B", "9B"));

    assertThat(stored("node-1.0000-3b-00.xid-79").getSpec().deviceUuid()).isEqualTo(UUID);
    assertThat(stored("node-1.0000-9b-00.xid-79").getSpec().deviceUuid()).isEmpty();
  }

  @Test
  void shouldCarryTheUuidThatIsKnownLater() {
    log(BOOT, 5, BUS);
    now = now.plus(FaultWriter.REPEAT);
    var sink = sink(BOOT);
    accept(sink, 6, "NVRM: GPU at PCI:0000:3b:00: " + UUID);
    accept(sink, 7, BUS);
    assertThat(stored("node-1.0000-3b-00.xid-79").getSpec().deviceUuid()).isEqualTo(UUID);

    // An agent that has not seen the name does not take it back.
    now = now.plus(FaultWriter.REPEAT);
    log(BOOT, 8, BUS);
    var fault = stored("node-1.0000-3b-00.xid-79");
    assertThat(fault.getStatus().count()).isEqualTo(3);
    assertThat(fault.getSpec().deviceUuid()).isEqualTo(UUID);
  }

  @Test
  void shouldCountAndNotMultiplyWhenFaultRepeats() {
    log(BOOT, 5, BUS);
    now = now.plus(FaultWriter.REPEAT);
    log(BOOT, 6, BUS.replace("pid=7, ", ""));
    assertThat(crud.client.resources(NodeFault.class).list().getItems()).hasSize(1);
    var status = status("node-1.0000-3b-00.xid-79");
    assertThat(status.count()).isEqualTo(2);
    assertThat(status.lastSequence()).isEqualTo(6);
    assertThat(status.lastEvidence()).doesNotContain("pid");
    assertThat(stored("node-1.0000-3b-00.xid-79").getSpec().evidence()).contains("pid=7");
  }

  @Test
  void shouldCountOnceWhenTheLogIsReplayedByANewAgent() {
    log(BOOT, 5, BUS);
    writer = newWriter();
    log(BOOT, 5, BUS);
    assertThat(status("node-1.0000-3b-00.xid-79").count()).isEqualTo(1);
    writer = newWriter();
    log(BOOT, 6, BUS);
    assertThat(status("node-1.0000-3b-00.xid-79").count()).isEqualTo(2);
  }

  @Test
  void shouldBeActiveAgainWhenFaultComesBackInAnotherBootOrAfterAClear() {
    log(BOOT, 50, BUS);
    var cleared = stored("node-1.0000-3b-00.xid-79");
    cleared.setStatus(
        new NodeFaultStatus(
            State.CLEARED, 1, now, "boot-1", 50, "gone", List.of(), "probe", BOOT.time()));
    crud.client.resource(cleared).updateStatus();
    writer = newWriter();
    log(NEXT_BOOT, 3, BUS);
    var status = status("node-1.0000-3b-00.xid-79");
    assertThat(status.state()).isEqualTo(State.ACTIVE);
    assertThat(status.count()).isEqualTo(2);
    assertThat(status.bootId()).isEqualTo("boot-2");
    assertThat(status.lastSequence()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({
    "uid-1, uid-2, boot-2, 1, uid-2",
    "uid-1, uid-2, boot-1, 2, uid-1",
    "uid-1, uid-1, boot-2, 2, uid-1",
    "'', uid-2, boot-2, 2, ''",
    "uid-1, '', boot-2, 2, uid-1",
  })
  void shouldStartOverOnAnotherNodeOfTheNameAndInAnotherBoot(
      String before, String after, String boot, long count, String uid) {
    nodeUid = before;
    log(BOOT, 5, BUS);
    assertThat(stored("node-1.0000-3b-00.xid-79").getSpec().nodeUid()).isEqualTo(before);
    nodeUid = after;
    writer = newWriter();
    var next = boot.equals("boot-1") ? BOOT : NEXT_BOOT;
    log(next, 9, BUS);
    var fault = stored("node-1.0000-3b-00.xid-79");
    assertThat(fault.getSpec().nodeUid()).isEqualTo(uid);
    assertThat(fault.getStatus().count()).isEqualTo(count);
    // Four seconds apart in one boot is one burst.
    assertThat(fault.getStatus().incidents()).hasSize(boot.equals("boot-1") ? 1 : (int) count);
    assertThat(fault.getStatus().bootId()).isEqualTo(boot);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "13, pid=7, Graphics Exception|xid-13|THRESHOLD|restart_job",
        "43, pid=7, Ch 8|xid-43|NEVER|restart_job",
        "999, brand new|xid-999|THRESHOLD|investigate",
        "154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot"
            + " Required)|xid-154|ALWAYS|reboot_node",
        "154, something else|xid-154|THRESHOLD|investigate",
        "109, Ch 8|xid-109|THRESHOLD|reset_gpu",
      })
  void shouldGiveFenceAndActionWhenCodeIsAnother(
      String rest, String code, FenceGuidance fence, String action) {
    log(BOOT, 1, "NVRM: Xid (PCI:0000:3b:00): " + rest);
    var spec = stored("node-1.0000-3b-00." + code).getSpec();
    assertThat(spec.fence()).isEqualTo(fence);
    assertThat(spec.action()).isEqualTo(action);
  }

  @Test
  void shouldReportNothingWhenRecordIsNoFaultOrToBeIgnored() {
    assertThat(log(BOOT, 1, "usb 1-1: new device")).isFalse();
    log(BOOT, 2, "NVRM: Xid (PCI:0000:3b:00): 45, Ch 8");
    log(BOOT, 3, CLEAR);
    assertThat(crud.client.resources(NodeFault.class).list().getItems()).isEmpty();
  }
}
