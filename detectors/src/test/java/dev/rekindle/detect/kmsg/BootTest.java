package dev.rekindle.detect.kmsg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BootTest {
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-01-01T01:00:00Z"));

  private static final KmsgRecord IN_TWO_HOURS = new KmsgRecord(0, 6, 1, 7_200_000_000L, "x");

  @TempDir Path proc;
  private Instant now = CLOCK.instant();
  private long nanos = Long.MAX_VALUE - 5;

  /** How long it takes to read the clock. */
  private Duration reading = Duration.ZERO;

  @BeforeEach
  void writeBootId() throws IOException {
    Files.createDirectories(proc.resolve("sys/kernel/random"));
    Files.writeString(proc.resolve("sys/kernel/random/boot_id"), "abc-def\n");
  }

  @Test
  void shouldCountBackFromNowWhenUptimeIsThere() throws IOException {
    Files.writeString(proc.resolve("uptime"), "3600.25 100.00\n");
    var boot = Boot.read(proc, CLOCK, () -> nanos);
    assertThat(boot.id()).isEqualTo("abc-def");
    assertThat(boot.time()).isEqualTo(Instant.parse("2025-12-31T23:59:59.750Z"));
    assertThat(boot.timeOf(new KmsgRecord(0, 6, 1, 1_250_001, "x")))
        .isEqualTo(Instant.parse("2026-01-01T00:00:01.000001Z"));
  }

  private Boot bootAfterAnHour() throws IOException {
    Files.writeString(proc.resolve("uptime"), "3600.00 100.00\n");
    return Boot.read(
        proc,
        () -> {
          nanos += reading.toNanos();
          return now;
        },
        () -> nanos);
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
    now = now.plus(time);
  }

  /** A node starts with its clock years behind, and its agent before NTP has set it. */
  @ParameterizedTest
  @ValueSource(strings = {"PT20000H", "PT-9H", "PT1.5S"})
  void shouldGiveTheTimeOfTheClockOfNowWhenThatIsSet(Duration by) throws IOException {
    var boot = bootAfterAnHour();
    var record = new KmsgRecord(0, 6, 1, 1_000_000, "x");
    assertThat(boot.timeOf(record)).isEqualTo(Instant.parse("2026-01-01T00:00:01Z"));
    pass(Duration.ofHours(1));
    now = now.plus(by);
    assertThat(boot.timeOf(IN_TWO_HOURS)).isEqualTo(now);
    assertThat(boot.timeOf(record)).isEqualTo(now.minusSeconds(7199));
  }

  @Test
  void shouldKeepRecordsAsFarApartAsTheKernelSaysWhenTheClockIsNotSet() throws IOException {
    var boot = bootAfterAnHour();
    pass(Duration.ofHours(1));
    now = now.plus(BootClock.TOLERANCE);
    assertThat(boot.time()).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
    now = now.minus(BootClock.TOLERANCE.multipliedBy(2));
    assertThat(boot.time()).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
  }

  /** The reader may stand still between its two looks at clocks. */
  @Test
  void shouldNotTakeAPauseForAClockThatWasSet() throws IOException {
    var boot = bootAfterAnHour();
    reading = Duration.ofSeconds(30);
    assertThat(boot.time()).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
    reading = Duration.ZERO;
    now = now.plusSeconds(60);
    assertThat(boot.time()).as("set by 30 s").isEqualTo(Instant.parse("2026-01-01T00:00:30Z"));
  }

  @Test
  void shouldFollowTheClockWhenUptimeIsMissing() throws IOException {
    Files.writeString(proc.resolve("stat"), "btime 1767225600\n");
    var boot = Boot.read(proc, () -> now, () -> nanos);
    now = now.plus(Duration.ofHours(9));
    assertThat(boot.time()).isEqualTo(Instant.parse("2026-01-01T09:00:00Z"));
  }

  @Test
  void shouldTakeBtimeWhenUptimeIsMissing() throws IOException {
    Files.writeString(proc.resolve("stat"), "cpu 1 2\nbtime 1767225600\nprocesses 3\n");
    assertThat(Boot.read(proc, CLOCK, () -> nanos).time())
        .isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
  }

  @Test
  void shouldFailWithReasonWhenNothingNamesTheBoot() throws IOException {
    Files.writeString(proc.resolve("stat"), "cpu 1 2\n");
    assertThatThrownBy(() -> Boot.read(proc, CLOCK, () -> nanos))
        .hasMessageContaining("neither uptime nor");
    Files.writeString(proc.resolve("sys/kernel/random/boot_id"), "\n");
    assertThatThrownBy(() -> Boot.read(proc, CLOCK, () -> nanos)).hasMessageContaining("boot id");
  }
}
