package dev.rekindle.detect.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * The real library on a machine with a GPU, beside what {@code nvidia-smi} says; skipped elsewhere.
 * Prints what it read and what a poll costs.
 */
class NvmlOnGpuTest {
  private static final int POLLS = 200;

  private static NvmlSession open() throws IOException {
    var library = NvmlFinder.find(List.of(Path.of("/")));
    Assumptions.assumeTrue(library.isPresent(), "no libnvidia-ml.so.1 on this machine");
    try {
      return NvmlSession.open(library.orElseThrow(), new NvmlWatch());
    } catch (NvmlException e) {
      return Assumptions.abort("there is a library and no driver: " + e.getMessage());
    }
  }

  private static List<String[]> smi(String query) throws IOException {
    var process =
        new ProcessBuilder("nvidia-smi", "--query-gpu=" + query, "--format=csv,noheader,nounits")
            .start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
        .lines()
        .map(line -> line.split(", *", -1))
        .toList();
  }

  @Test
  void shouldReadWhatNvidiaSmiReads() throws IOException {
    try (var session = open()) {
      var readings = session.read(true);
      System.out.println(readings);
      var smi =
          smi(
              "pci.bus_id,uuid,ecc.errors.uncorrected.volatile.total,"
                  + "remapped_rows.pending,remapped_rows.failure");
      assertThat(readings.nameless()).isEmpty();
      assertThat(readings.gpus()).hasSameSizeAs(smi);
      for (int i = 0; i < smi.size(); i++) {
        var gpu = readings.gpus().get(i);
        var said = smi.get(i);
        // 00000000:3B:00.0
        assertThat(said[0].toLowerCase(Locale.ROOT)).endsWith(gpu.pci() + ".0");
        assertThat(gpu.uuid()).isEqualTo(said[1]);
        if (said[2].matches("\\d+")) {
          assertThat(gpu.eccUncorrected()).hasValue(Long.parseLong(said[2]));
        }
        assertThat(gpu.remapPending()).isEqualTo(said[3].equals("Yes"));
        assertThat(gpu.remapFailed()).isEqualTo(said[4].equals("Yes"));
        assertThat(gpu.isBlind()).isFalse();
      }
    }
  }

  @Test
  void shouldWaitForEventsNoLongerThanAsked() throws IOException {
    try (var session = open()) {
      session.read(true);
      if (session.listens()) {
        var start = System.nanoTime();
        assertThat(session.await(200)).isEmpty();
        assertThat(System.nanoTime() - start).isLessThan(2_000_000_000L);
      }
    }
  }

  @Test
  void shouldReadAgainAndAgain() throws IOException {
    try (var session = open()) {
      var nanos = new long[POLLS];
      for (int i = 0; i < POLLS; i++) {
        var start = System.nanoTime();
        session.read(true);
        nanos[i] = System.nanoTime() - start;
      }
      Arrays.sort(nanos);
      System.out.printf(
          "a poll of %d GPUs: p50 %.2f ms, p99 %.2f ms%n",
          session.read(true).gpus().size(), nanos[POLLS / 2] / 1e6, nanos[POLLS * 99 / 100] / 1e6);
      assertThat(nanos[POLLS / 2]).isLessThan(1_000_000_000L);
    }
  }
}
