package dev.rekindle.detect.weigh;

import static dev.rekindle.detect.weigh.Logged.fault;
import static dev.rekindle.detect.weigh.Logged.pod;
import static dev.rekindle.detect.weigh.Logged.process;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.detect.fault.AffectedPod;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which of program and hardware is to blame. */
class WeigherTest extends WeigherFixture {
  static final String TPC = "GPC 0 TPC 0";

  // ---- Program or hardware ----------------------------------------------------------------------

  static Stream<Arguments> suspects() {
    return Stream.of(
        argumentSet(
            "13: one program on one TPC",
            false,
            fault("XID-13").hit(0, pod("a"), TPC).hit(30, pod("a"), TPC).hit(60, pod("a"), TPC)),
        argumentSet(
            "13: one owner makes its job anew each time",
            false,
            fault("XID-13")
                .hit(0, pod("team", "sweep", "sweep-1"), TPC)
                .hit(30, pod("team", "sweep", "sweep-2"), TPC)),
        argumentSet(
            "13: another owner on the same TPC",
            true,
            fault("XID-13").hit(0, pod("a"), TPC).hit(30, pod("b"), TPC)),
        argumentSet(
            "13: another owner of the same name in another namespace",
            true,
            fault("XID-13").hit(0, pod("a"), TPC).hit(30, pod("other", "a", "a"), TPC)),
        argumentSet(
            "13: another owner on another TPC",
            false,
            fault("XID-13").hit(0, pod("a"), TPC).hit(30, pod("b"), "GPC 1 TPC 0")),
        argumentSet(
            "13: another owner, all over the GPU",
            false,
            fault("XID-13")
                .hit(0, pod("a"), TPC)
                .hit(30, pod("b"), TPC)
                .hit(30, pod("b"), "GPC 1 TPC 3")),
        argumentSet(
            "13: another owner, more than a day later",
            false,
            fault("XID-13").hit(0, pod("a"), TPC).hit(1500, pod("b"), TPC)),
        argumentSet(
            "13: another owner after a reboot, which makes no bad part good",
            true,
            fault("XID-13").hit(0, pod("a"), TPC).inBoot("boot-2").hit(30, pod("b"), TPC)),
        argumentSet(
            "13: no other owner is known",
            false,
            fault("XID-13").hit(0, pod("a"), TPC).hit(30, AffectedPod.UNKNOWN, TPC)),
        argumentSet(
            "13: of the second the process alone is known, which may be the same program",
            false,
            fault("XID-13").hit(0, pod("a"), TPC).hit(30, process("python"), TPC)),
        argumentSet(
            "13: of the second the pod is known and not its owner",
            false,
            fault("XID-13")
                .hit(0, pod("a"), TPC)
                .hit(30, new AffectedPod("team", "b-0", "b-uid"), TPC)),
        argumentSet(
            "13: processes of two names, and no pod is known",
            false,
            fault("XID-13").hit(0, process("x"), TPC).hit(30, process("y"), TPC)),
        argumentSet(
            "31: one rank has the bug",
            false,
            fault("XID-31").hit(0, pod("a")).hit(30, pod("a")).hit(60, pod("a"))),
        argumentSet("31: another owner", true, fault("XID-31").hit(0, pod("a")).hit(30, pod("b"))),
        argumentSet(
            "31: another owner within the same burst",
            true,
            fault("XID-31").hit(0, pod("a")).hit(1, pod("b"))),
        argumentSet("32: six times by one job", false, six("XID-32", pod("a"))),
        argumentSet("69: six times by one job", false, six("XID-69", pod("a"))),
        argumentSet("69: another owner", true, six("XID-69", pod("a")).hit(400, pod("b"))),
        argumentSet("109: one job again and again", false, six("XID-109", pod("a"))),
        argumentSet(
            "109: another job within half an hour",
            true,
            fault("XID-109").hit(0, pod("a")).hit(25, pod("b"))),
        argumentSet("94: five times, any owner", true, six("XID-94", pod("a"))),
        argumentSet("an unknown code", true, six("XID-999", pod("a"))),
        argumentSet("63: twice", false, fault("XID-63").hit(0, pod("a")).hit(30, pod("a"))));
  }

  @ParameterizedTest
  @MethodSource("suspects")
  void shouldDistinguishAProgramFromTheHardware(boolean hardware, Logged fault) {
    assertThat(weigh(fault).fences()).as("%s: %s", fault, weigh(fault)).isEqualTo(hardware);
  }

  @Test
  void shouldTakeAProcessForAnOwnerInALogAlone() {
    var fault = fault("XID-13").hit(0, process("x"), TPC).hit(30, process("y"), TPC);
    var log = Weigher.ofLog(Thresholds.DEFAULT);
    assertThat(log.weigh(fault, List.of(fault), List.of(), LATER).fences()).isTrue();
    assertThat(WEIGHER.weigh(fault, List.of(fault), List.of(), LATER).fences()).isFalse();
    var same = fault("XID-13").hit(0, process("x"), TPC).hit(30, process("x"), TPC);
    assertThat(log.weigh(same, List.of(same), List.of(), LATER).fences()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"XID-13", "XID-31", "XID-32", "XID-69", "XID-109"})
  void shouldNotBlameADeviceForAProgramThatFailsOnOthersToo(String code) {
    var here = fault(code).hit(0, pod("a"), TPC).hit(30, pod("b"), TPC);
    assertThat(weigh(here).fences()).isTrue();
    assertThat(weigh(here).namespaces()).containsExactly("team");
    for (var other : List.of(fault("n-2", "0000:3b:00", code), fault("n-1", "0000:4c:00", code))) {
      // The same owner, though its job was created again.
      assertThat(weigh(here, other.hit(90, pod("team", "b", "b-again"), "GPC 5 TPC 1")).fences())
          .as("%s", other)
          .isFalse();
    }
    assertThat(weigh(here, fault("n-2", "0000:3b:00", code).hit(3000, pod("b"), TPC)).fences())
        .as("days later")
        .isTrue();
    assertThat(weigh(here, fault("n-2", "0000:3b:00", "XID-8").hit(90, pod("b"), TPC)).fences())
        .as("another code")
        .isTrue();
  }

  @Test
  void shouldFenceForTwoOthersThoughOneFailsEverywhere() {
    var here = fault("XID-31").hit(0, pod("loops")).hit(30, pod("b")).hit(60, pod("loops"));
    var there = fault("n-2", "0000:3b:00", "XID-31").hit(45, pod("loops"));
    assertThat(weigh(here, there).fences()).isFalse();
    assertThat(weigh(here.hit(90, pod("other", "c", "c")), there))
        .satisfies(w -> assertThat(w.fences()).isTrue())
        .satisfies(w -> assertThat(w.namespaces()).containsExactlyInAnyOrder("team", "other"));
  }

  @Test
  void shouldSayThatItIsTheProgramWhereNothingElseIsLeft() {
    var here = fault("XID-31").hit(0, pod("a"));

    assertThat(weigh(here, fault("n-1", "0000:4c:00", "XID-31").hit(1, pod("a"))).reason())
        .contains("the same program");
  }

  @Test
  void shouldBelieveTwoDetectorsOfHardwareAndNotOfPrograms() {
    var nvml = fault("NVML-GPU-UNAVAILABLE").by("nvml").hit(0, AffectedPod.UNKNOWN);
    assertThat(weigh(fault("XID-63").hit(0, AffectedPod.UNKNOWN), nvml).fences()).isTrue();
    assertThat(weigh(fault("XID-31").hit(0, pod("a")), nvml).fences()).isFalse();
    assertThat(
            weigh(fault("XID-63").hit(0, AffectedPod.UNKNOWN), fault("DEVICE").by("device-plugin"))
                .fences())
        .as("no proof")
        .isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"device-plugin", "hami"})
  void shouldNotFenceForWhatADevicePluginAloneSaysHoweverOften(String plugin) {
    var marked = fault("DEVICE-UNHEALTHY").by(plugin);
    var seen = fault("DEVICE-UNHEALTHY").by("nvml");
    for (int i = 0; i < 6; i++) {
      marked = marked.hit(i * 60, pod("job-" + i));
      seen = seen.hit(i * 60, pod("job-" + i));
    }
    assertThat(weigh(marked).fences()).isFalse();
    assertThat(weigh(marked).until()).isNull();
    assertThat(weigh(seen).fences()).as("what sees the hardware itself").isTrue();
  }
}
