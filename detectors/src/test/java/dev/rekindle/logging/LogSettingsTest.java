package dev.rekindle.logging;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogSettingsTest {
  @Test
  void shouldTakeLogfmtAndInfoWhenNothingIsSet() {
    var settings = LogSettings.of(Map.of());

    assertThat(settings.format()).isEqualTo(LineFormat.LOGFMT);
    assertThat(settings.level()).isEqualTo(LogLevel.INFO);
    assertThat(settings.problems()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"logfmt, LOGFMT, error, ERROR", "json, JSON, warn, WARN", "json, JSON, debug, DEBUG"})
  void shouldReadFormatAndLevel(String format, LineFormat read, String level, LogLevel taken) {
    var settings =
        LogSettings.of(Map.of("REKINDLE_LOG_FORMAT", format, "REKINDLE_LOG_LEVEL", level));

    assertThat(settings.format()).isEqualTo(read);
    assertThat(settings.level()).isEqualTo(taken);
    assertThat(settings.problems()).isEmpty();
  }

  @Test
  void shouldNameWhatItCannotUseAndContinueWithTheDefaults() {
    var settings =
        LogSettings.of(Map.of("REKINDLE_LOG_FORMAT", "xml", "REKINDLE_LOG_LEVEL", "INFO"));

    assertThat(settings.format()).isEqualTo(LineFormat.LOGFMT);
    assertThat(settings.level()).isEqualTo(LogLevel.INFO);
    assertThat(settings.problems())
        .containsExactly(
            "REKINDLE_LOG_FORMAT='xml' is none of logfmt, json",
            "REKINDLE_LOG_LEVEL='INFO' is none of error, warn, info, debug");
  }
}
