package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.diagnosis.JobSnapshots.XID_79;
import static dev.rekindle.controller.diagnosis.JobSnapshots.decide;
import static dev.rekindle.controller.diagnosis.JobSnapshots.stepping;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.detect.node.PodDevices;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Faults of the hardware under a job. */
class HardwareFaultsTest {
  @Test
  void shouldRecoverAndNameTheNodeWhenAFaultFences() {
    Verdict verdict = decide(job(), gang("a"), List.of(XID_79), stepping(gang("a")));

    assertThat(verdict).isInstanceOf(Verdict.Recover.class);
    Cause cause = ((Verdict.Recover) verdict).cause();
    assertThat(cause.reason()).isEqualTo("XID-79");
    assertThat(cause.faultyNodes()).containsExactly("node-1");
    assertThat(cause.suspectPods()).containsExactly("demo-worker-0");
    assertThat(cause.evidence()).singleElement().asString().contains("fallen off the bus");
    assertThat(cause.lastStep()).isEqualTo(42);
  }

  @Test
  void shouldPassOverTheFaultOfAGpuThatIsAnotherJobs() {
    FaultView theirs =
        fault("node-1", "XID-79", FenceGuidance.ALWAYS)
            .with(b -> b.component("GPU GPU-22222222-aaaa-bbbb-cccc-000000000002").evidence(""));
    List<PodView> unknown = gang("a");
    List<PodView> known = new ArrayList<>(unknown);
    known.set(
        1,
        known
            .get(1)
            .withDevices(
                new PodDevices(
                    true, Set.of("GPU-11111111-aaaa-bbbb-cccc-000000000001"), List.of())));

    assertThat(decide(job(), known, List.of(theirs), stepping(known)))
        .isInstanceOf(Verdict.Watch.class);
    assertThat(decide(job(), unknown, List.of(theirs), stepping(unknown)))
        .isInstanceOf(Verdict.Recover.class);
  }
}
