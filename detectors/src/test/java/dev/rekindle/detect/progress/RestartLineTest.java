package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RestartLineTest {
  private static final Instant AT = Instant.parse("2026-01-01T00:00:01Z");

  @ParameterizedTest
  @CsvSource({
    "REKINDLE restart: loss spike at step 1234, , loss spike at step 1234",
    "REKINDLE restart before_step=1200: loss spike, 1200, loss spike",
    "[rank3]: 2026-01-01 INFO train: REKINDLE restart: NaN, , NaN",
    "REKINDLE restart before_step=0:, 0, no reason given",
    "REKINDLE restart:spike: 3.1, , spike: 3.1"
  })
  void shouldReadWhatAScriptRequests(String line, @Nullable Long before, String reason) {
    assertThat(RestartLine.find(AT, line)).contains(new RestartLine(reason, before, AT));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rekindle restart: in lower case",
        "NOT_REKINDLE restart: another word",
        "REKINDLE restart",
        "REKINDLE restart before_step=: none",
        "REKINDLE restart before_step=-5: negative",
        "REKINDLE restart before_step=1234567890123456789: too long a number",
        "REKINDLE restarted: something"
      })
  void shouldNotTakeAnythingElseForARequest(String line) {
    assertThat(RestartLine.find(AT, line)).isEmpty();
  }

  @Test
  void shouldBoundTheReasonAndKeepItOnOneLine() {
    RestartLine line =
        RestartLine.find(AT, "REKINDLE restart: a\u0007b" + "x".repeat(5_000)).orElseThrow();

    assertThat(line.reason()).startsWith("a bx").hasSize(RestartLine.MAX_REASON);
  }

  /** A terminal takes U+009B for the begin of a command, as it does ESC and a bracket. */
  @Test
  void shouldKeepNoControlCharacterBeyondAsciiInTheReason() {
    RestartLine line = RestartLine.find(AT, "REKINDLE restart: a\u009b2Jb\u0085c").orElseThrow();

    assertThat(line.reason()).isEqualTo("a 2Jb c");
  }
}
