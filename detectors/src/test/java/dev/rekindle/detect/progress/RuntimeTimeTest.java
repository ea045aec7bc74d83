package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is read fast is what the JDK reads. */
class RuntimeTimeTest {
  private static Optional<Instant> parse(String text) {
    byte[] bytes = ("xx" + text + "xx").getBytes(StandardCharsets.ISO_8859_1);
    return RuntimeTime.parse(bytes, 2, bytes.length - 2);
  }

  private static Optional<Instant> byTheJdk(String text) {
    try {
      return Optional.of(OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  @Test
  void shouldReadWhatTheJdkWrites() {
    var random = new Random(15);
    for (int i = 0; i < 20_000; i++) {
      var time =
          Instant.ofEpochSecond(random.nextLong(4_102_444_800L), random.nextInt(1_000_000_000));
      assertThat(parse(time.toString())).contains(time);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00.5Z",
        "2026-01-01T00:00:00.123456789Z",
        "2026-01-01T00:00:00.123456789+01:00",
        "2026-01-01T00:00:00.123456789-11:30",
        "2026-12-31T23:59:59+14:00",
        "2026-01-01T00:00:00+18:00",
        "2026-01-01T00:00:00+18:01",
        "2026-01-01T00:00:00+19:00",
        "2026-01-01T00:00+01:00",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00.1234567890Z",
        "2026-01-01T00:00:60Z",
        "2026-01-01T24:00:00Z",
        "2026-02-29T00:00:00Z",
        "2028-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-00T00:00:00Z",
        "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:00",
        "2026-01-01T00:00:00z",
        "2026-01-01T00:00:00+1:00",
        "2026-01-01T00:00:00+0100",
        "2026-01-01T00:00:00+aa:bb",
        "2026-01-01T00:00:00.5",
        "",
        "Z"
      })
  void shouldReadAndRefuseWhatTheJdkDoes(String text) {
    assertThat(parse(text)).isEqualTo(byTheJdk(text));
  }
}
