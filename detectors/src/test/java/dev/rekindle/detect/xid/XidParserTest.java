package dev.rekindle.detect.xid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class XidParserTest {
  private static XidEvent parse(String line) {
    return XidParser.parse(line).orElseThrow(() -> new AssertionError("not read: " + line));
  }

  static Stream<Arguments> shapes() {
    return Stream.of(
        arguments(0, 14, "0000:03:00", -1, "", "Channel 00000001"),
        arguments(1, 79, "0000:3b:00", 1234, "python3", "GPU has fallen off the bus."),
        arguments(2, 79, "0000:3b:00", -1, "", "GPU has fallen off the bus."),
        arguments(3, 79, "0000:01:00", -1, "", "GPU has fallen off the bus."),
        arguments(4, 13, "0000:01:00", 7, "a b", "Graphics Exception"),
        arguments(5, 43, "0000:01:00", 7, "x", "Ch 00000008"),
        arguments(6, 63, "0000:a1:00", 1896, "", "Row Remapper: New row (0x0000000000000000)"),
        arguments(
            7, 94, "0000:05:00", -1, "", "Contained: CE User Channel (0x9). RST: No, D-RST: No"),
        arguments(8, 45, "0000:18:00", 9, "p", "Ch 00000009 caused by previous Xid 94"),
        arguments(11, 31, "0000:18:00", -1, "", ""),
        arguments(12, 79, "0000:18:00", -1, "", null),
        arguments(13, 79, "0000:b3:00", -1, "", null));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void shouldReadEveryFieldWhenLineHasAKnownShape(
      int line, int code, String pci, long pid, String process, @Nullable String text) {
    var event = parse(XidLines.ALL.get(line));
    assertThat(event.code()).isEqualTo(code);
    assertThat(event.pci()).isEqualTo(pci);
    assertThat(event.pid()).isEqualTo(pid < 0 ? OptionalLong.empty() : OptionalLong.of(pid));
    assertThat(event.process().orElse("")).isEqualTo(process);
    if (text == null) {
      assertThat(event.text()).contains("fallen off the bus");
    } else {
      assertThat(event.text()).isEqualTo(text);
    }
  }

  @Test
  void shouldAttributeToInstanceWhenGpuIsPartitioned() {
    assertThat(parse(XidLines.ALL.get(4)).gpuInstance()).hasValue(5);
    assertThat(parse(XidLines.ALL.get(4)).computeInstance()).isEmpty();
    assertThat(parse(XidLines.ALL.get(5)).gpuInstance()).hasValue(5);
    assertThat(parse(XidLines.ALL.get(5)).computeInstance()).hasValue(0);
    assertThat(parse(XidLines.ALL.get(1)).gpuInstance()).isEmpty();
  }

  @Test
  void shouldReadCauseWhenDriverNamesIt() {
    assertThat(parse(XidLines.ALL.get(8)).causedBy()).isEqualTo(OptionalInt.of(94));
    assertThat(parse(XidLines.ALL.get(5)).causedBy()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0,NONE",
    "1,RESET_GPU",
    "2,REBOOT_NODE",
    "3,DRAIN_P2P",
    "4,DRAIN_AND_RESET",
    "5,RECOVER_IMEX"
  })
  void shouldReadNewActionWhenRecoveryActionChanges(int number, RecoveryAction action) {
    var event =
        parse(
            "NVRM: Xid (PCI:0000:18:00): 154, pid=1, name=x, GPU recovery action changed from 0x1"
                + " (GPU Reset Required) to 0x"
                + number
                + " (Any (words))");
    assertThat(event.recoveryAction()).contains(action);
  }

  @Test
  void shouldLeaveActionEmptyWhenItIsNotKnownOrCodeIsAnother() {
    var change = "GPU recovery action changed from 0x0 (None) to 0x63 (New)";
    assertThat(parse("NVRM: Xid (PCI:0000:18:00): 154, " + change).recoveryAction()).isEmpty();
    assertThat(parse("NVRM: Xid (PCI:0000:18:00): 154, garbled").recoveryAction()).isEmpty();
    assertThat(
            parse("NVRM: Xid (PCI:0000:18:00): 79, " + change.replace("63", "1")).recoveryAction())
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "NVRM: GPU at PCI:0000:91:00: GPU-11111111-2222-3333-4444-555555555555",
        "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.86.15",
        "NVRM: Xid (PCI:zzzz:3b:00): 79, GPU has fallen off the bus.",
        "NVRM: Xid (PCI:0000:3b:00): GPU has fallen off the bus.",
        "NVRM: Xid (PCI:0000:3b:00): 99999999999, x",
        "NVRM: Xid (PCI:0000:3b:00): 79 and more",
        "user said: NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.",
        "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 48 LTSSM Fault Up",
        "",
        "NVRM: "
      })
  void shouldReadNothingWhenLineReportsNoXid(String line) {
    assertThat(XidParser.parse(line)).isEmpty();
  }

  @Test
  void shouldKeepDomainWhenItNeedsMoreThanFourDigits() {
    assertThat(parse("NVRM: Xid (PCI:00010000:05:00.0): 48, x").pci()).isEqualTo("10000:05:00");
    assertThat(parse("NVRM: Xid (PCI:FFFFFFFF:05:00): 48, x").pci()).isEqualTo("ffffffff:05:00");
  }

  /** Cuts, flips, repeats and splices of real lines: read or not read, but never an exception. */
  @Test
  void shouldNeverThrowWhenLinesAreRandomlyBroken() {
    var random = new Random(79);
    var read = 0;
    for (int round = 0; round < 20_000; round++) {
      var line = new StringBuilder(XidLines.ALL.get(random.nextInt(XidLines.ALL.size())));
      for (int edit = random.nextInt(3); edit >= 0; edit--) {
        mutate(line, random);
      }
      var event = XidParser.parse(line.toString());
      if (event.isPresent()) {
        read++;
        assertThat(event.get().pci()).matches("[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}");
      }
    }
    assertThat(read).as("some lines stay readable, some do not").isBetween(2_000, 19_000);
  }

  private static void mutate(StringBuilder line, Random random) {
    var at = random.nextInt(line.length() + 1);
    switch (random.nextInt(5)) {
      case 0 -> line.setLength(Math.max(1, at));
      case 1 -> line.insert(at, (char) random.nextInt(0x3000));
      case 2 -> line.insert(at, "9".repeat(random.nextInt(40)));
      case 3 -> line.delete(at, Math.min(line.length(), at + random.nextInt(6)));
      default -> line.insert(at, XidLines.ALL.get(random.nextInt(XidLines.ALL.size())));
    }
    if (line.isEmpty()) {
      line.append('N');
    }
  }

  @Test
  void shouldEndInTimeWhenLineIsMadeToBacktrack() {
    var hostile =
        "NVRM: Xid (PCI:0000:3b:00): 79, name=" + ", name=x, pid=1".repeat(100_000) + "\u0000";
    Optional<XidEvent> event =
        Assertions.assertTimeoutPreemptively(Duration.ofMinutes(1), () -> XidParser.parse(hostile));
    assertThat(event).isPresent();
  }
}
