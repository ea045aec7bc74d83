package dev.rekindle.detect.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Counters, links, the fabric and clocks over several polls. */
class NvmlCountersTest extends NvmlEvaluatorFixture {

  @Test
  void shouldReportGrowthOnceAndNotTheFirstCount() {
    first.ecc = OptionalLong.of(3);
    first.recoveries = OptionalLong.of(1);
    first.replays = OptionalLong.of(5000);
    assertThat(reported(poll())).isEmpty();
    first.ecc = OptionalLong.of(5);
    first.recoveries = OptionalLong.of(2);
    first.replays = OptionalLong.of(5000 + CounterGrowth.MANY_REPLAYS);
    var decision = poll();
    assertThat(reported(decision))
        .containsExactly(
            FIRST + " NVML-ECC-UNCORRECTED THRESHOLD",
            FIRST + " NVML-NVLINK-RECOVERY NEVER",
            FIRST + " NVML-NVLINK-REPLAY NEVER");
    assertThat(decision.observations().getFirst().fault().evidence()).startsWith("2 more");
    first.replays = OptionalLong.of(5000 + 2 * CounterGrowth.MANY_REPLAYS - 1);
    assertThat(reported(poll())).isEmpty();
    first.ecc = OptionalLong.of(0);
    assertThat(reported(poll())).as("the driver was loaded anew").isEmpty();
  }

  @Test
  void shouldWatchLinksThatWereUp() {
    first.links.putAll(Map.of(0, true, 1, true, 2, false));
    assertThat(reported(poll())).isEmpty();
    first.links.put(1, false);
    assertThat(reported(poll())).containsExactly(FIRST + " NVML-NVLINK-DOWN NEVER");
    first.links.put(1, true);
    assertThat(cleared(poll())).containsExactly(FIRST + " [NVML-NVLINK-DOWN] probe");
  }

  @ParameterizedTest
  @CsvSource({
    // state, status, health, mask, reported
    "3, 0, 1, 0, false",
    "3, 0, 0, 2, false",
    "3, 0, 3, 0, false",
    "2, 0, 0, 0, true",
    "1, 0, 0, 0, true",
    "3, 999, 1, 0, true",
    "3, 0, 2, 0, true",
    "3, 0, 0, 16, true",
    "3, 0, 0, 32, false"
  })
  void shouldGiveTheFabricFiveMinutes(
      int state, int status, int health, int mask, boolean reported) {
    first.fabric = Optional.of(new FabricReading(state, status, health, mask));
    var begin = now.plusSeconds(15);
    var observations = reported(poll());
    while (now.isBefore(begin.plus(Duration.ofMinutes(5)).minusSeconds(15))) {
      observations = reported(poll());
      assertThat(observations).isEmpty();
    }
    assertThat(reported(poll()))
        .isEqualTo(reported ? List.of(FIRST + " NVML-FABRIC THRESHOLD") : List.of());
  }

  @Test
  void shouldReportNothingOfAFabricThatCameUpInTime() {
    first.fabric = Optional.of(new FabricReading(2, 0, 0, 0));
    poll();
    first.fabric = Optional.of(new FabricReading(3, 0, 1, 0));
    assertThat(poll().clearances()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"8, true", "64, true", "128, true", "4, false", "32, false", "1, false"})
  void shouldWatchClocksThatTheHardwareSlowedInSixOfTenMinutes(long reasons, boolean reported) {
    first.reasons = reasons;
    List<String> all = new ArrayList<>();
    var begin = now;
    while (now.isBefore(begin.plusSeconds(5 * 60 - 15))) {
      all.addAll(reported(poll()));
    }
    assertThat(all).isEmpty();
    while (now.isBefore(begin.plusSeconds(6 * 60))) {
      all.addAll(reported(poll()));
    }
    assertThat(all).hasSize(reported ? 1 : 0).allMatch(one -> one.endsWith("HW-SLOWDOWN NEVER"));
    first.reasons = 0;
    List<String> gone = new ArrayList<>();
    while (now.isBefore(begin.plusSeconds(20 * 60))) {
      gone.addAll(cleared(poll()));
    }
    assertThat(gone).hasSize(reported ? 1 : 0);
  }
}
