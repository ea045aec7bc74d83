package dev.rekindle.detect.weigh;

import static dev.rekindle.detect.weigh.Logged.T0;
import static dev.rekindle.detect.weigh.Logged.fault;
import static dev.rekindle.detect.weigh.Logged.pod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.detect.fault.AffectedPod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Errors that count by their number. */
class WeigherCountsTest extends WeigherFixture {
  // ---- What no program causes -------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({
    "ecc, 2, false",
    "ecc, 3, true",
    "mechanical, 1, false",
    "mechanical, 2, true",
    "signal, 2, true",
    "unknown, 4, false",
    "unknown, 5, true",
  })
  void shouldCountErrorsOfALinkByTheirKind(String mark, int times, boolean fences) {
    var fault = fault("XID-74");
    for (int i = 0; i < times; i++) {
      fault.hit(Duration.ofHours(4L * i), AffectedPod.UNKNOWN, "link 6", mark);
    }

    assertThat(weigh(fault).fences()).isEqualTo(fences);
    assertThat(weigh(fault).sameUnit()).isEqualTo(fences);
  }

  @Test
  void shouldTakeErrorsOfALinkWithinThreeHoursForOne() {
    var fault = fault("XID-74");
    for (int i = 0; i < 6; i++) {
      fault.hit(Duration.ofHours(2L * i), AffectedPod.UNKNOWN, "link 6", "signal");
    }
    assertThat(weigh(fault).fences()).isFalse();
    fault.hit(Duration.ofHours(14), AffectedPod.UNKNOWN, "link 7", "signal");
    assertThat(weigh(fault).fences()).as("another link").isFalse();
    fault.hit(Duration.ofHours(15), AffectedPod.UNKNOWN, "link 6", "signal");
    assertThat(weigh(fault).fences()).isTrue();
  }

  @Test
  void shouldNotCountErrorsOfALinkBeforeAReboot() {
    var one = fault("XID-74").hit(Duration.ofHours(0), AffectedPod.UNKNOWN, "link 6", "mechanical");
    one.inBoot("boot-2").hit(Duration.ofHours(4), AffectedPod.UNKNOWN, "link 6", "mechanical");
    assertThat(weigh(one).fences()).isFalse();
    one.hit(Duration.ofHours(8), AffectedPod.UNKNOWN, "link 6", "mechanical");
    assertThat(weigh(one).fences()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"RLW_SRC_TRACK, 9, false", "RLW_SRC_TRACK, 10, true", "RLW_REMAP, 18, false"})
  void shouldTakeLostRequestsOverMostLinksForAStorm(String unit, int links, boolean fences) {
    var fault = fault("XID-145");
    for (int i = 0; i < 900; i++) {
      fault.hit(Duration.ofMillis(i), AffectedPod.UNKNOWN, unit + " link " + i % links, "nonfatal");
    }

    assertThat(weigh(fault).fences()).isEqualTo(fences);
  }

  @Test
  void shouldCountBurstsOfWhateverErrorsOnTheDeviceButNoneOfPrograms() {
    var counted =
        List.of(
            fault("XID-63").hit(0, pod("a")),
            fault("XID-92").hit(60, pod("a")),
            fault("XID-155").hit(120, pod("a")),
            fault("XID-119").fencing(FenceGuidance.ALWAYS).hit(180, pod("a")));
    var program = six("XID-31", pod("a"));
    var last = fault("XID-125").hit(240, pod("a"));
    assertThat(weigh(last, with(counted.subList(1, 4), program)).fences()).isFalse();
    assertThat(weigh(last, with(counted, program)))
        .satisfies(w -> assertThat(w.fences()).isTrue())
        .satisfies(w -> assertThat(w.namespaces()).isEmpty());
    assertThat(weigh(last, with(counted.subList(1, 4), fault("n-1", "0000:4c:00", "XID-63"))))
        .as("of another device")
        .satisfies(w -> assertThat(w.fences()).isFalse());
    last.inBoot("boot-2").hit(300, pod("a"));
    assertThat(weigh(last, with(counted, program)).fences()).as("after a reboot").isFalse();
  }

  private static Logged[] with(List<Logged> some, Logged more) {
    List<Logged> all = new ArrayList<>(some);
    all.add(more);
    return all.toArray(Logged[]::new);
  }

  @Test
  void shouldWaitForTheEndOfABurst() {
    var fault = fault("XID-31").hit(0, pod("a")).hit(30, pod("b"));
    var last = T0.plus(Duration.ofMinutes(30));
    var ends = last.plus(Thresholds.DEFAULT.silence());

    assertThat(WEIGHER.weigh(fault, List.of(fault), List.of(), last.plusSeconds(1)))
        .satisfies(w -> assertThat(w.fences()).isFalse())
        .satisfies(w -> assertThat(w.until()).isEqualTo(ends));
    assertThat(WEIGHER.weigh(fault, List.of(fault), List.of(), ends).fences()).isTrue();
  }

  @Test
  void shouldCountTheRebootsThatDidNotHelp() {
    var fault =
        fault("XID-48").hit(0, AffectedPod.UNKNOWN).inBoot("boot-2").hit(60, AffectedPod.UNKNOWN);
    assertThat(WEIGHER.isStubborn(fault)).isFalse();
    fault.inBoot("boot-3").hit(120, AffectedPod.UNKNOWN);
    assertThat(WEIGHER.isStubborn(fault)).isTrue();
    assertThat(WEIGHER.reboots(fault)).isEqualTo(2);
    fault.inBoot("boot-4").hit(60 * 24 * 8, AffectedPod.UNKNOWN);
    assertThat(WEIGHER.isStubborn(fault)).as("a week later").isFalse();
  }
}
