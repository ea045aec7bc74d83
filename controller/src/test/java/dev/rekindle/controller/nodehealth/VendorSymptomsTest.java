package dev.rekindle.controller.nodehealth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.model.AscendView;
import dev.rekindle.detect.node.AscendFault;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Notes of MindCluster and HAMi. */
class VendorSymptomsTest extends NodeSymptomsFixture {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "RestartRequest | the device is not in question",
        "RestartBusiness | the device is not in question",
        "RestartNPU | reset by MindCluster once it is free",
        "FreeRestartNPU | reset by MindCluster once it is free"
      })
  void shouldSayWhyNothingFollowsWhereMindClusterRequestsARestart(String level, String why) {
    AscendFault fault = new AscendFault("Ascend910-4", false, level, "80E18402");
    NodeSymptom sign = one(new Shown().ascend(new AscendView("node-1", true, List.of(fault))));
    assertThat(sign.evidence()).contains("ends or stalls").endsWith(why);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "RestartRequest | NEVER | restart_job",
        "RestartBusiness | NEVER | restart_job",
        "FreeRestartNPU | NEVER | restart_job",
        "RestartNPU | NEVER | restart_job",
        "PreSeparateNPU | THRESHOLD | investigate",
        "SeparateNPU | ALWAYS | investigate",
        "ManuallySeparateNPU | ALWAYS | investigate",
        "NotHandleFault | - | -",
        "SubHealthFault | - | -",
        "'' | - | -"
      })
  void shouldFollowTheLevelThatMindClusterGives(String level, FenceGuidance fence, String action) {
    List<NodeSymptom> signs =
        signs(
            new Shown()
                .ascend(
                    new AscendView(
                        "node-1",
                        true,
                        List.of(new AscendFault("Ascend910-4", false, level, "80E18402")))));
    assertThat(signs).hasSize(fence == null ? 0 : 1);
    assertThat(signs)
        .allSatisfy(
            s -> {
              assertThat(s.fence()).isEqualTo(fence);
              assertThat(s.action()).isEqualTo(action);
              assertThat(s.component()).isEqualTo("Ascend910-4");
              assertThat(s.evidence()).contains(level).contains("80E18402");
            });
  }

  @Test
  void shouldTakeADeviceThatHamiHoldsForUnhealthyForAWitness() {
    assertThat(one(new Shown().sick("GPU-7")).fence()).isEqualTo(FenceGuidance.THRESHOLD);
  }
}
