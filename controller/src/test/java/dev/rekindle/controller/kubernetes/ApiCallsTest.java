package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@EnableKubernetesMockClient
class ApiCallsTest {
  @SuppressWarnings("NullAway.Init") // set by the extension
  KubernetesClient client;

  @SuppressWarnings("NullAway.Init") // set by the extension
  KubernetesMockServer server;

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicBoolean deposed = new AtomicBoolean();
  private final Circuits circuits = new Circuits(nanos::get, deposed::get, _ -> 0L);
  private final ApiCalls jobs = circuits.of("pytorchjobs");
  private final AtomicInteger made = new AtomicInteger();

  private String failing(int status, Status body) {
    made.incrementAndGet();
    throw new KubernetesClientException("Failure executing: PATCH at: https://x", status, body);
  }

  private static Status says(String text) {
    return new StatusBuilder().withMessage(text).build();
  }

  private String failing(int status) {
    return failing(status, says("no"));
  }

  private void fail(ApiCalls calls, int status, int times) {
    for (int i = 0; i < times; i++) {
      assertThatThrownBy(() -> calls.call(() -> failing(status))).isInstanceOf(Exception.class);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 403, 404, 413, 422})
  void shouldTakeARefusalForAnAnswer(int status) {
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> jobs.call(() -> failing(status, says("exceeded\nquota"))))
        .satisfies(e -> assertThat(e.status()).isEqualTo(status))
        .satisfies(e -> assertThat(e.text()).isEqualTo("exceeded quota"));
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> jobs.change(() -> jobs.answer(() -> failing(status))));
    assertThat(made).hasValue(2);
  }

  @Test
  void shouldSendNothingOnceAnotherMayLead() {
    assertThat(jobs.call(made::incrementAndGet)).isEqualTo(1);
    deposed.set(true);

    assertThatExceptionOfType(UnavailableException.class)
        .isThrownBy(() -> jobs.call(made::incrementAndGet))
        .satisfies(e -> assertThat(e.text()).contains("not sent", "lease"));
    assertThatExceptionOfType(UnavailableException.class)
        .isThrownBy(() -> jobs.change(() -> jobs.answer(made::incrementAndGet)));
    assertThat(made).hasValue(1);
  }

  @Test
  void shouldNotSendTheSecondTimeWhereAnotherMayLeadMeanwhile() {
    assertThatExceptionOfType(UnavailableException.class)
        .isThrownBy(
            () ->
                jobs.call(
                    () -> {
                      deposed.set(true);
                      return failing(0, says("no answer"));
                    }));
    assertThat(made).hasValue(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 429})
  void shouldNotRetryAServerThatWantsTime(int status) {
    assertThatExceptionOfType(UnavailableException.class)
        .isThrownBy(() -> jobs.call(() -> failing(status)))
        .satisfies(e -> assertThat(e.status()).isEqualTo(status));
    assertThat(made).hasValue(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 500, 503})
  void shouldRetryWhereTheServerIsInTrouble(int status) {
    assertThatExceptionOfType(UnavailableException.class)
        .isThrownBy(() -> jobs.call(() -> failing(status)))
        .satisfies(e -> assertThat(e.status()).isEqualTo(Math.max(0, status)));
    assertThat(made).hasValue(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 500, 503})
  void shouldBeSatisfiedWithTheLastTry(int status) {
    assertThat(jobs.call(() -> made.get() < 2 ? failing(status) : "cordoned"))
        .isEqualTo("cordoned");
  }

  @Test
  void shouldKeepTheTextOfAWebhookShort() {
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> jobs.call(() -> failing(403, says("x".repeat(1_000_000)))))
        .satisfies(e -> assertThat(e.text()).hasSize(512));
  }

  @Test
  void shouldRetryAConflictAFewTimes() {
    assertThatThrownBy(() -> jobs.change(() -> jobs.answer(() -> failing(409))))
        .isInstanceOf(StaleException.class);
    assertThat(made).hasValue(5);
  }

  @Test
  void shouldStopTheCallsOfOneKindOnly() {
    fail(jobs, 500, 20);
    assertThat(made.get()).as("the circuit opened").isLessThan(20);
    assertThatExceptionOfType(UnavailableException.class)
        .isThrownBy(() -> jobs.call(() -> "unasked"))
        .withMessageContaining("pytorchjobs");
    assertThat(circuits.of("nodes").call(() -> "cordoned")).isEqualTo("cordoned");
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 403, 404, 409, 413, 422})
  void shouldNotHoldARefusalAgainstTheServer(int status) {
    fail(jobs, status, 50);
    assertThat(made).hasValue(50);
    assertThatCode(() -> jobs.call(() -> "answered")).doesNotThrowAnyException();
  }

  @Test
  void shouldWaitAsLongAsTheServerAsks() {
    Status retryAfter =
        new StatusBuilder().withNewDetails().withRetryAfterSeconds(3).endDetails().build();
    assertThatThrownBy(() -> jobs.call(() -> failing(429, retryAfter)))
        .isInstanceOf(UnavailableException.class);
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(2_999));
    assertThatExceptionOfType(UnavailableException.class)
        .isThrownBy(() -> jobs.call(() -> "too early"))
        .satisfies(e -> assertThat(e.retryAfter()).isEqualTo(Duration.ofMillis(1)));
    assertThat(circuits.of("nodes").call(() -> "other kind")).isEqualTo("other kind");
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
    assertThat(jobs.call(() -> "now")).isEqualTo("now");
  }

  @Test
  void shouldNotBeSilencedForLong() {
    Status retryAfter =
        new StatusBuilder().withNewDetails().withRetryAfterSeconds(86_400).endDetails().build();
    assertThatThrownBy(() -> jobs.call(() -> failing(429, retryAfter)))
        .isInstanceOf(UnavailableException.class);
    nanos.addAndGet(ApiCalls.LONGEST_WISH.toNanos());
    assertThat(jobs.call(() -> "now")).isEqualTo("now");
  }

  @Test
  void shouldNeverOpenACircuitForTooManyRequests() {
    for (int i = 0; i < 50; i++) {
      nanos.addAndGet(ApiCalls.LONGEST_WISH.toNanos());
      assertThatThrownBy(() -> jobs.call(() -> failing(429)))
          .isInstanceOf(UnavailableException.class);
    }
    assertThat(made).hasValue(50);
  }

  @Test
  void shouldReadTheHeaderThatTheClientKeepsToItself() {
    server
        .expect()
        .get()
        .withPath("/api/v1/nodes/n1")
        .andReturn(429, "Too many requests, please try again later.")
        .withHeader("Retry-After", "7")
        .always();
    KubernetesClient listening = listening();
    try (listening) {
      assertThatExceptionOfType(UnavailableException.class)
          .isThrownBy(() -> circuits.of("nodes").call(() -> listening.nodes().withName("n1").get()))
          .satisfies(e -> assertThat(e.status()).isEqualTo(429))
          .satisfies(e -> assertThat(e.retryAfter()).isEqualTo(Duration.ofSeconds(7)));
      assertThat(circuits.errors()).containsOnlyKeys("429");
      assertThat(circuits.errors().get("429")).isPositive();
    }
  }

  /** A load balancer may say that in the place of a server that is away. */
  @Test
  void shouldAskForNoLongPauseWhateverIsSaidWith503() {
    server
        .expect()
        .get()
        .withPath("/api/v1/nodes/n1")
        .andReturn(503, "Back tomorrow.")
        .withHeader("Retry-After", "86400")
        .always();
    try (KubernetesClient listening = listening()) {
      assertThatExceptionOfType(UnavailableException.class)
          .isThrownBy(() -> circuits.of("nodes").call(() -> listening.nodes().withName("n1").get()))
          .satisfies(e -> assertThat(e.status()).isEqualTo(503))
          .satisfies(e -> assertThat(e.retryAfter()).isEqualTo(ApiCalls.LONGEST_WISH));
    }
  }

  private KubernetesClient listening() {
    return new KubernetesClientBuilder()
        .withConfig(
            new ConfigBuilder(client.getConfiguration()).withRequestRetryBackoffLimit(0).build())
        .withHttpClientBuilderConsumer(
            http -> http.addOrReplaceInterceptor(Circuits.NAME, circuits.interceptor()))
        .build();
  }
}
