package dev.rekindle.detect.kernel;

import static dev.rekindle.detect.kernel.KernelLinesTest.read;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** Lines that are broken at random or made to take long. */
class BrokenKernelLinesTest {

  private static List<String> samples() throws IOException {
    try (var file =
        KernelLinesTest.class.getResourceAsStream("/dev/rekindle/detect/judge/cases.txt")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.contains(" | "))
          .map(line -> line.substring(line.indexOf(" | ") + 3).replaceFirst("^\\[[^]]*] ", ""))
          .toList();
    }
  }

  /** Cuts, flips, repeats and splices of real lines: read or not read, but never an exception. */
  @Test
  void shouldNeverThrowWhenLinesAreRandomlyBroken() throws IOException {
    var samples = samples();
    var random = new Random(74);
    var memory = ParserState.EMPTY;
    var found = 0;
    for (int round = 0; round < 40_000; round++) {
      var line = new StringBuilder(samples.get(random.nextInt(samples.size())));
      for (int edit = random.nextInt(3); edit > 0 && !line.isEmpty(); edit--) {
        var at = random.nextInt(line.length());
        switch (random.nextInt(5)) {
          case 0 -> line.setLength(at);
          case 1 -> line.insert(at, (char) random.nextInt(0x3000));
          case 2 -> line.insert(at, "9".repeat(random.nextInt(40)));
          case 3 -> line.delete(at, Math.min(line.length(), at + random.nextInt(6)));
          default -> line.insert(at, samples.get(random.nextInt(samples.size())));
        }
      }
      var read = KernelLines.read(memory, line.toString());
      memory = read.memory();
      if (read.finding().isPresent()) {
        found++;
        var finding = read.finding().get();
        assertThat(finding.faultCode()).matches("[A-Z0-9]+([-_.][A-Z0-9]+)*");
        assertThat(finding.device()).matches("([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})?");
      }
    }
    assertThat(found).isBetween(10_000, 39_000);
  }

  @Test
  void shouldEndInTimeWhenLinesAreMadeToBacktrack() {
    for (var hostile :
        List.of(
            "NVRM: Xid (PCI:0000:3b:00): 31, " + "ENGINE A GPC".repeat(50_000),
            "NVRM: Xid (PCI:0000:3b:00): 74, " + "link 1(0x1, 0x1, ".repeat(50_000),
            "NVRM: Xid (PCI:0000:3b:00): 94, Contained " + "RST: ".repeat(100_000),
            "nvidia-nvswitch1: SXid (PCI:0000:3b:00.0): 1, " + "instance=1, ".repeat(50_000),
            "mlx5_core " + "0000:3b:00.0 ".repeat(50_000),
            "a".repeat(60) + "[1]: segfault at " + " in libncc".repeat(60_000),
            "NETDEV WATCHDOG: a (mlx5_core): " + "transmit queue ".repeat(50_000))) {
      Assertions.assertTimeoutPreemptively(
          Duration.ofMinutes(1), () -> KernelLines.read(ParserState.EMPTY, hostile));
    }
  }
}
