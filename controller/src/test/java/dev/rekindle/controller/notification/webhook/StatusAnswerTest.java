package dev.rekindle.controller.notification.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.notification.Answer;
import dev.rekindle.controller.notification.Answer.Unavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatusAnswerTest {
  private static final Instant NOW = Instant.parse("2026-11-25T12:00:00Z");

  @ParameterizedTest
  @CsvSource({
    "200,delivered",
    "204,delivered",
    "301,REDIRECT",
    "307,REDIRECT",
    "304,REDIRECT",
    "400,refused",
    "413,refused",
    "422,refused",
    "401,DENIED",
    "403,DENIED",
    "404,DENIED",
    "405,DENIED",
    "410,DENIED",
    "408,BUSY",
    "425,BUSY",
    "429,BUSY",
    "503,BUSY",
    "500,SERVER_ERROR",
    "502,SERVER_ERROR",
    "599,SERVER_ERROR",
    "999,SERVER_ERROR"
  })
  void shouldSayWhatAStatusMeans(int status, String expected) {
    String said =
        switch (StatusAnswer.of(status, Optional.empty(), NOW)) {
          case Answer.Delivered _ -> "delivered";
          case Answer.Refused _ -> "refused";
          case Unavailable unavailable -> unavailable.trouble().name();
        };

    assertThat(said).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0                             | 0
          17                            | 17
          999999999                     | 999999999
          -5                            | 0
          9999999999999999999           | 0
          soon                          | 0
          Wed, 25 Nov 2026 12:00:30 GMT | 30
          Wed, 25 Nov 2026 11:00:00 GMT | 0
          1e5                           | 0
          """)
  void shouldReadForHowLongItAsksToBeLeftAlone(String header, long seconds) {
    assertThat(StatusAnswer.of(503, Optional.of(header), NOW))
        .isInstanceOfSatisfying(
            Unavailable.class,
            u -> assertThat(u.retryAfter()).isEqualTo(Duration.ofSeconds(seconds)));
  }
}
