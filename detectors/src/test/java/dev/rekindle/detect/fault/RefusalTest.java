package dev.rekindle.detect.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RefusalTest {
  @ParameterizedTest
  @CsvSource({
    "0, 3600, LATER",
    "500, 1, LATER",
    "503, 29, LATER",
    "503, 30, ASIDE",
    "429, 29, LATER",
    "429, 30, ASIDE",
    "401, 30, ASIDE",
    "403, 0, ASIDE",
    "400, 0, FOR_GOOD",
    "413, 0, FOR_GOOD",
    "422, 0, FOR_GOOD"
  })
  void shouldClassifyAnAnswer(int status, int seconds, Refusal expected) {
    var error = new KubernetesClientException("no", status, null);
    assertThat(Refusal.of(error, Duration.ofSeconds(seconds))).isEqualTo(expected);
  }

  /** The client says -1 then, not 0. */
  @Test
  void shouldOfferItAgainWhereNoAnswerCame() {
    var error = new KubernetesClientException("patch failed", new IOException("connection reset"));
    assertThat(error.getCode()).isNegative();
    assertThat(Refusal.of(error, Duration.ofHours(1))).isEqualTo(Refusal.LATER);
  }
}
