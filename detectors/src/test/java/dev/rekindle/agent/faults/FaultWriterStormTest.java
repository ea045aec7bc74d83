package dev.rekindle.agent.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.detect.fault.FaultName;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Many faults at once, and their names. */
class FaultWriterStormTest extends FaultWriterFixture {
  @Test
  void shouldWriteOnceASecondAndLoseNoCountWhenThereIsAStorm() {
    var line = "NVRM: Xid (PCI:0000:3b:00): 43, pid=7, name=python, Ch 00000008";
    for (int i = 1; i <= 500; i++) {
      log(BOOT, i, line);
    }
    assertThat(crud.requests).hasSizeLessThan(10);
    assertThat(status("node-1.0000-3b-00.xid-43").count()).isEqualTo(1);
    writer.flush();
    assertThat(status("node-1.0000-3b-00.xid-43").count()).as("not yet").isEqualTo(1);
    now = now.plus(FaultWriter.REPEAT);
    writer.flush();
    assertThat(status("node-1.0000-3b-00.xid-43").count()).isEqualTo(500);
    assertThat(status("node-1.0000-3b-00.xid-43").lastSequence()).isEqualTo(500);
  }

  @Test
  void shouldNotHoldUpAnotherFaultWhenThereIsAStorm() {
    for (int i = 1; i <= 100; i++) {
      log(BOOT, i, "NVRM: Xid (PCI:0000:3b:00): 43, Ch 00000008");
    }
    log(BOOT, 101, BUS);
    assertThat(status("node-1.0000-3b-00.xid-79").count()).isEqualTo(1);
  }

  @Test
  void shouldFenceAtOnceWhenAThresholdIsReachedWithinTheSecond() {
    writer.write(observation(1, 1, FenceGuidance.NEVER, ""));
    writer.write(observation(2, 2, FenceGuidance.NEVER, ""));
    writer.write(observation(3, 3, FenceGuidance.ALWAYS, ""));
    var spec = stored(EXCEPTION).getSpec();
    assertThat(spec.fence()).isEqualTo(FenceGuidance.ALWAYS);
    assertThat(spec.action()).isEqualTo("investigate");
    assertThat(spec.evidence()).isEqualTo("line 3");
    assertThat(spec.firstSeen()).isEqualTo(BOOT.time().plusSeconds(1));
    assertThat(status(EXCEPTION).count()).isEqualTo(3);
    now = now.plus(FaultWriter.REPEAT);
    writer.write(observation(4, 4, FenceGuidance.NEVER, ""));
    assertThat(stored(EXCEPTION).getSpec().fence()).isEqualTo(FenceGuidance.ALWAYS);
  }

  @Test
  void shouldLabelEveryNodeValidlyAndApart() {
    var nodes = List.of("n", "n".repeat(63), "n".repeat(64), "n".repeat(65), "n".repeat(253));
    assertThat(nodes.stream().map(FaultName::label))
        .doesNotHaveDuplicates()
        .allMatch(l -> l.matches("[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?"));
  }

  @Test
  void shouldNameEveryFaultApartAndValidlyWhenNodesAndComponentsDiffer() {
    var names = new ArrayList<String>();
    for (var node :
        new String[] {"node-1", "node-10", "node-1.xid", "n".repeat(253), "m".repeat(253)}) {
      for (var pci : new String[] {"0000:3b:00", "0000:3c:00", ""}) {
        for (var code : new String[] {"XID-7", "XID-79"}) {
          var kmsg =
              new NodeFaultSpec(
                  node, ComponentType.GPU, pci, code, "kmsg", FenceGuidance.NEVER, "", "", now, "");
          names.add(FaultObservation.of(kmsg, 1, now).name());
        }
      }
    }
    assertThat(names).doesNotHaveDuplicates();
    assertThat(names)
        .allMatch(
            n ->
                n.length() <= 253
                    && n.matches(
                        "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"));
  }
}
