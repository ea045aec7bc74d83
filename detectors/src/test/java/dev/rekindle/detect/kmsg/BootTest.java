package dev.rekindle.detect.kmsg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BootTest {
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-01-01T01:00:00Z"));
  @TempDir Path proc;

  @BeforeEach
  void writeBootId() throws IOException {
    Files.createDirectories(proc.resolve("sys/kernel/random"));
    Files.writeString(proc.resolve("sys/kernel/random/boot_id"), "abc-def\n");
  }

  @Test
  void shouldCountBackFromNowWhenUptimeIsThere() throws IOException {
    Files.writeString(proc.resolve("uptime"), "3600.25 100.00\n");
    var boot = Boot.read(proc, CLOCK);
    assertThat(boot).isEqualTo(new Boot("abc-def", Instant.parse("2025-12-31T23:59:59.750Z")));
    assertThat(boot.timeOf(new KmsgRecord(0, 6, 1, 1_250_001, "x")))
        .isEqualTo(Instant.parse("2026-01-01T00:00:01.000001Z"));
  }

  @Test
  void shouldTakeBtimeWhenUptimeIsMissing() throws IOException {
    Files.writeString(proc.resolve("stat"), "cpu 1 2\nbtime 1767225600\nprocesses 3\n");
    assertThat(Boot.read(proc, CLOCK).time()).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
  }

  @Test
  void shouldFailWithReasonWhenNothingNamesTheBoot() throws IOException {
    Files.writeString(proc.resolve("stat"), "cpu 1 2\n");
    assertThatThrownBy(() -> Boot.read(proc, CLOCK)).hasMessageContaining("neither uptime nor");
    Files.writeString(proc.resolve("sys/kernel/random/boot_id"), "\n");
    assertThatThrownBy(() -> Boot.read(proc, CLOCK)).hasMessageContaining("boot id");
  }
}
