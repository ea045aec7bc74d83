package dev.rekindle.detect.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.ComponentType;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What follows where a GPU is missing, in one boot and over a reboot. */
class NvmlLostGpuTest extends NvmlEvaluatorFixture {
  @Test
  void shouldMissAGpuOnlyAfterSomePolls() {
    poll();
    var one = new NvmlReadings(List.of(first.reading()), List.of());
    assertThat(reported(poll(one))).isEmpty();
    assertThat(reported(poll(one))).isEmpty();
    assertThat(reported(poll(one))).isEmpty();
    assertThat(reported(poll(one))).containsExactly(SECOND + " NVML-GPU-LOST ALWAYS");
    assertThat(cleared(poll())).containsExactly(SECOND + " [NVML-GPU-LOST] probe");
  }

  @Test
  void shouldNotWaitWhenTheDriverSaysThatOneIsLost() {
    poll();
    var lost = new NvmlReadings(List.of(first.reading()), List.of(NvmlReturn.GPU_IS_LOST));
    assertThat(reported(poll(lost))).containsExactly(SECOND + " NVML-GPU-LOST ALWAYS");
  }

  @Test
  void shouldBlameTheNodeWhenTheLostGpuWasNeverKnown() {
    var lost = new NvmlReadings(List.of(first.reading()), List.of(NvmlReturn.GPU_IS_LOST));
    var decision = poll(lost);
    assertThat(reported(decision)).containsExactly(" NVML-GPU-LOST ALWAYS");
    assertThat(decision.observations().getFirst().fault().componentType())
        .isEqualTo(ComponentType.NODE);
    assertThat(cleared(poll())).containsExactly(" [NVML-GPU-LOST] probe");
  }

  @Test
  void shouldMissNoneWhenOneMayMerelyNotBeOpened() {
    poll();
    for (int i = 0; i < 10; i++) {
      var hidden =
          poll(new NvmlReadings(List.of(first.reading()), List.of(NvmlReturn.NO_PERMISSION)));
      assertThat(reported(hidden)).isEmpty();
    }
  }

  @Test
  void shouldKeepWhatALostGpuHadBefore() {
    first.failed = true;
    poll();
    first.failed = false;
    first.answer = NvmlReturn.GPU_IS_LOST;
    assertThat(cleared(poll())).isEmpty();
    first.answer = NvmlReturn.SUCCESS;
    assertThat(cleared(poll()))
        .containsExactlyInAnyOrder(
            FIRST + " [NVML-GPU-LOST] probe", FIRST + " [NVML-ROW-REMAP-FAILED] probe");
  }

  private void reboot() {
    polls = new NvmlEvaluator("node-1", "boot-2");
  }

  @Test
  void shouldClearByTheRebootWhatIsGoneAfterIt() {
    first.answer = NvmlReturn.GPU_IS_LOST;
    first.ecc = OptionalLong.of(7);
    poll();
    reboot();
    first.answer = NvmlReturn.SUCCESS;
    first.ecc = OptionalLong.of(9);
    var after = poll();
    assertThat(cleared(after)).containsExactly(FIRST + " [NVML-GPU-LOST] reboot");
    assertThat(reported(after)).as("counts begin anew").isEmpty();
  }

  @Test
  void shouldNotTakeARebootForACureWhenTheLostGpuIsNotBack() {
    second.answer = NvmlReturn.GPU_IS_LOST;
    poll();
    reboot();
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      var decision = poll(new NvmlReadings(List.of(first.reading()), List.of()));
      assertThat(cleared(decision)).isEmpty();
      all.addAll(reported(decision));
    }
    assertThat(all).isNotEmpty().allMatch(one -> one.equals(SECOND + " NVML-GPU-LOST ALWAYS"));
  }

  @Test
  void shouldOnlyWatchAGpuThatWasWellAndDidNotComeBackWithTheBoot() {
    poll();
    reboot();
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      all.addAll(reported(poll(new NvmlReadings(List.of(first.reading()), List.of()))));
    }
    assertThat(all).containsExactly(SECOND + " NVML-GPU-MISSING THRESHOLD");
  }
}
