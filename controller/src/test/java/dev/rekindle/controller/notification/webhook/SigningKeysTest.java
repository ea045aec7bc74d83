package dev.rekindle.controller.notification.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SigningKeysTest {
  /** The vector that libraries of Standard Webhooks are tested with. */
  private static final String KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  private static final String ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
  private static final Instant TIME = Instant.ofEpochSecond(1_614_265_330);
  private static final byte[] BODY = "{\"test\": 2432232314}".getBytes(StandardCharsets.UTF_8);
  private static final String SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

  @Test
  void shouldSignAsTheStandardDoes() {
    assertThat(SigningKeys.parse(KEY).sign(ID, TIME, BODY)).isEqualTo(SIGNATURE);
    assertThat(SigningKeys.parse(KEY.substring(6) + "\n").sign(ID, TIME, BODY))
        .isEqualTo(SIGNATURE);
  }

  @Test
  void shouldSignOtherwiseForAnotherIdTimeBodyOrKey() {
    SigningKeys keys = SigningKeys.parse(KEY);

    assertThat(keys.sign(ID + "x", TIME, BODY)).isNotEqualTo(SIGNATURE);
    assertThat(keys.sign(ID, TIME.plusSeconds(1), BODY)).isNotEqualTo(SIGNATURE);
    assertThat(keys.sign(ID, TIME, new byte[0])).isNotEqualTo(SIGNATURE);
    assertThat(SigningKeys.parse(KEY.replace('M', 'N')).sign(ID, TIME, BODY))
        .isNotEqualTo(SIGNATURE);
  }

  @Test
  void shouldSignWithEachKeyWhileKeysAreChanged() {
    String other = KEY.replace('M', 'N');

    String signatures = SigningKeys.parse(other + "\n" + KEY).sign(ID, TIME, BODY);

    assertThat(signatures)
        .isEqualTo(SigningKeys.parse(other).sign(ID, TIME, BODY) + " " + SIGNATURE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " \n", "whsec_", "whsec_AAAA", "not base64!", "whsec_\u0000"})
  void shouldRefuseWhatIsNoKeyAndQuoteNothing(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SigningKeys.parse(text))
        .satisfies(e -> assertThat(e.getMessage()).contains("secret").doesNotContain("AAAA"));
  }

  @Test
  void shouldRefuseMoreKeysThanAChangeNeeds() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SigningKeys.parse((KEY + " ").repeat(SigningKeys.MOST + 1)));
  }
}
