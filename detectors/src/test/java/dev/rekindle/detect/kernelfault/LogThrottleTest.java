package dev.rekindle.detect.kernelfault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.rules.RuleResult;
import dev.rekindle.detect.rules.Verdict;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LogThrottleTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private final LogThrottle throttle = new LogThrottle();

  private static LogThrottle.News news(String device, String reason) {
    return new LogThrottle.News(
        "xid 48", device, "", new RuleResult(Verdict.FENCE, reason, "reset", "", false, false));
  }

  @Test
  void shouldLogOnceAMinuteAndHowOftenItCameWhenAFaultRepeats() {
    assertThat(throttle.admit(news("0000:3b:00", "bad memory"), NOON)).hasValue(0);
    for (int second = 1; second < 60; second++) {
      assertThat(throttle.admit(news("0000:3b:00", "bad memory"), NOON.plusSeconds(second)))
          .isEmpty();
    }
    assertThat(throttle.admit(news("0000:3b:00", "bad memory"), NOON.plusSeconds(60))).hasValue(59);
    assertThat(throttle.admit(news("0000:3b:00", "bad memory"), NOON.plusSeconds(120))).hasValue(0);
  }

  @Test
  void shouldLogAtOnceWhenDeviceOrReasonIsAnother() {
    assertThat(throttle.admit(news("0000:3b:00", "bad memory"), NOON)).hasValue(0);
    assertThat(throttle.admit(news("0000:3c:00", "bad memory"), NOON)).hasValue(0);
    assertThat(throttle.admit(news("0000:3b:00", "bad memory, twice"), NOON)).hasValue(0);
  }

  @Test
  void shouldForgetTheOldestWhenVeryManyDiffer() {
    for (int i = 0; i < 257; i++) {
      assertThat(throttle.admit(news("gpu " + i, "bad memory"), NOON)).hasValue(0);
    }
    assertThat(throttle.admit(news("gpu 1", "bad memory"), NOON)).isEmpty();
    assertThat(throttle.admit(news("gpu 0", "bad memory"), NOON)).hasValue(0);
  }

  @Test
  void shouldForgetTheOneLoggedLongestAgoWhenVeryManyDiffer() {
    var later = NOON.plusSeconds(60);
    for (int i = 0; i < 256; i++) {
      assertThat(throttle.admit(news("gpu " + i, "bad memory"), NOON)).hasValue(0);
    }
    assertThat(throttle.admit(news("gpu 0", "bad memory"), later)).hasValue(0);
    assertThat(throttle.admit(news("another", "bad memory"), later)).hasValue(0);
    assertThat(throttle.admit(news("gpu 0", "bad memory"), later)).isEmpty();
  }
}
