package dev.rekindle.detect.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.app.AgentClient;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultResolution;
import dev.rekindle.detect.state.StateFolder;
import dev.rekindle.detect.xid.RecoveryAction;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What follows from readings of GPUs that are there. */
class NvmlEvaluatorTest extends NvmlEvaluatorFixture {
  private static Arguments condition(Consumer<GpuDraft> change, String code, String fence) {
    return Arguments.of(change, code, fence);
  }

  static List<Arguments> conditions() {
    return List.of(
        condition(gpu -> gpu.answer = NvmlReturn.GPU_IS_LOST, "NVML-GPU-LOST", "ALWAYS"),
        condition(gpu -> gpu.answer = NvmlReturn.RESET_REQUIRED, "NVML-RESET-REQUIRED", "ALWAYS"),
        condition(gpu -> gpu.failed = true, "NVML-ROW-REMAP-FAILED", "ALWAYS"),
        condition(gpu -> gpu.pending = true, "NVML-ROW-REMAP-PENDING", "THRESHOLD"),
        condition(gpu -> gpu.sram = true, "NVML-SRAM-THRESHOLD", "THRESHOLD"),
        condition(gpu -> gpu.answer = NvmlReturn.CORRUPTED_INFOROM, "NVML-INFOROM", "NEVER"));
  }

  @ParameterizedTest
  @MethodSource("conditions")
  void shouldReportWhatHoldsUntilItIsGone(Consumer<GpuDraft> change, String code, String fence) {
    assertThat(reported(poll())).isEmpty();
    change.accept(first);
    var observation = poll().observations().getFirst();
    assertThat(observation.fault().code()).isEqualTo(code);
    assertThat(observation.fault().fence()).isEqualTo(FenceGuidance.valueOf(fence));
    assertThat(observation.fault().componentType()).isEqualTo(ComponentType.GPU);
    assertThat(observation.fault().componentId()).isEqualTo(FIRST);
    assertThat(observation.fault().detector()).isEqualTo("nvml");
    assertThat(observation.fault().bootId()).isEqualTo("boot-1");
    assertThat(observation.sequence()).isEqualTo(FaultObservation.NO_SEQUENCE);
    assertThat(observation.time()).isEqualTo(now);

    // One incident: reported again before the three minutes of silence that would end it.
    var silent = 0;
    while (reported(poll()).isEmpty()) {
      silent++;
    }
    assertThat(Duration.ofSeconds(15).multipliedBy(silent + 1))
        .isEqualTo(NvmlDecisionBuilder.REPEAT)
        .isLessThan(Duration.ofMinutes(3));
    first.answer = NvmlReturn.SUCCESS;
    first.failed = false;
    first.pending = false;
    first.sram = false;
    var after = poll();
    assertThat(after.observations()).isEmpty();
    assertThat(after.clearances())
        .containsExactly(
            new FaultResolution(
                "node-1", ComponentType.GPU, FIRST, Set.of(code), "probe", now.minusMillis(1)));
    assertThat(cleared(poll())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "RESET_GPU, ALWAYS, reset_gpu",
    "REBOOT_NODE, ALWAYS, reboot_node",
    "DRAIN_AND_RESET, THRESHOLD, drain_and_reset",
    "DRAIN_P2P, THRESHOLD, drain_p2p",
    "RECOVER_IMEX, THRESHOLD, recover_imex"
  })
  void shouldFenceAsTheDriverAsks(RecoveryAction action, FenceGuidance fence, String word) {
    poll();
    first.action = Optional.of(action);
    assertThat(poll().observations())
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.fault().code()).isEqualTo("NVML-RECOVERY-ACTION");
              assertThat(one.fault().fence()).isEqualTo(fence);
              assertThat(one.fault().action()).isEqualTo(word);
            });
  }

  @Test
  void shouldClearTheWholeGpuWhenTheDriverGivesTheAllClear() {
    first.action = Optional.of(RecoveryAction.RESET_GPU);
    first.failed = true;
    poll();
    first.action = Optional.of(RecoveryAction.NONE);
    var decision = poll();
    assertThat(cleared(decision)).containsExactly(FIRST + " [] driver");
    // What is still read stands again, seen after the clearance.
    assertThat(reported(decision)).containsExactly(FIRST + " NVML-ROW-REMAP-FAILED ALWAYS");
    assertThat(decision.observations().getFirst().time())
        .isAfter(decision.clearances().getFirst().time());
    assertThat(cleared(poll())).isEmpty();
  }

  @Test
  void shouldNotTakeAnActionThatIsNoLongerReadForTheAllClear() {
    first.action = Optional.of(RecoveryAction.RESET_GPU);
    poll();
    first.action = Optional.empty();
    assertThat(cleared(poll())).containsExactly(FIRST + " [NVML-RECOVERY-ACTION] probe");
  }

  @Test
  void shouldClearNothingOnADoubtfulAnswer() {
    first.pending = true;
    poll();
    first.pending = false;
    for (var answer : List.of(NvmlReturn.RESET_REQUIRED, 999)) {
      first.answer = answer;
      assertThat(cleared(poll())).isEmpty();
    }
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      all.addAll(reported(poll()));
    }
    assertThat(all).containsExactly(FIRST + " NVML-GPU-ERROR NEVER");
    first.answer = NvmlReturn.SUCCESS;
    assertThat(cleared(poll()))
        .containsExactlyInAnyOrder(
            FIRST + " [NVML-GPU-ERROR] probe",
            FIRST + " [NVML-RESET-REQUIRED] probe",
            FIRST + " [NVML-ROW-REMAP-PENDING] probe");
  }

  @Test
  void shouldFenceForADriverThatHangsUntilItAnswers() {
    poll();
    var decision = polls.hung(memory, "read", Duration.ofMinutes(2), now);
    memory = decision.memory();
    assertThat(reported(decision)).containsExactly(" NVML-DRIVER-HUNG ALWAYS");
    assertThat(decision.observations().getFirst().fault().evidence()).contains("read", "120 s");
    var again = polls.hung(memory, "read", Duration.ofSeconds(121), now.plusSeconds(1));
    assertThat(reported(again)).isEmpty();
    // Even where one of the GPUs is not shown.
    var answered =
        poll(new NvmlReadings(List.of(first.reading()), List.of(NvmlReturn.NO_PERMISSION)));
    assertThat(cleared(answered)).containsExactly(" [NVML-DRIVER-HUNG] probe");
  }

  @Test
  void shouldRememberOverARestart(@TempDir Path directory) throws IOException {
    var file = new NvmlMemoryFile(new StateFolder(directory, AgentClient.json()));
    assertThat(file.read()).isEqualTo(NvmlMemory.EMPTY);
    first.links.putAll(new TreeMap<>(Map.of(0, true, 5, true)));
    first.ecc = OptionalLong.of(3);
    first.action = Optional.of(RecoveryAction.RESET_GPU);
    second.replays = OptionalLong.empty();
    second.action = Optional.empty();
    poll();
    file.write(memory);
    assertThat(file.read()).isEqualTo(memory);
    memory = file.read();
    first.ecc = OptionalLong.of(4);
    first.action = Optional.of(RecoveryAction.NONE);
    var decision = poll();
    assertThat(reported(decision)).containsExactly(FIRST + " NVML-ECC-UNCORRECTED THRESHOLD");
    assertThat(cleared(decision)).containsExactly(FIRST + " [] driver");
  }
}
