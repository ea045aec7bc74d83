package dev.rekindle.controller.cluster;

import dev.rekindle.controller.cluster.ClusterGateway.StaleException;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The one place through which calls to the API server go.
 *
 * <ul>
 *   <li>A call that got no answer is made once more: all calls of the gateway are idempotent.
 *   <li>While most calls go unanswered or meet a failing server, further ones fail at once, so that
 *       a server that comes back is not met by a storm.
 *   <li>A conflict becomes a {@link StaleException}.
 * </ul>
 */
final class ApiCalls {
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int MAX_CHANGES = 5;

  private final CircuitBreaker breaker =
      CircuitBreaker.of(
          "api-server",
          CircuitBreakerConfig.custom()
              .slidingWindowSize(20)
              .minimumNumberOfCalls(10)
              .failureRateThreshold(50)
              .waitDurationInOpenState(Duration.ofSeconds(5))
              .permittedNumberOfCallsInHalfOpenState(3)
              .recordException(ApiCalls::serverInTrouble)
              .build());

  private final Retry retry =
      Retry.of(
          "api-server",
          RetryConfig.custom()
              .maxAttempts(2)
              .waitDuration(Duration.ofMillis(200))
              .retryOnException(ApiCalls::unanswered)
              .build());

  /** Makes the call. */
  <T> T call(Supplier<T> call) {
    try {
      return answer(call);
    } catch (KubernetesClientException error) {
      throw conflict(error) ? stale(error) : error;
    }
  }

  /**
   * Makes a change that reads an object, looks at it and writes what it decided; on a conflict it
   * reads and looks again. Nodes and jobs are written by others all the time, so the first try
   * often comes too late.
   *
   * @param change its calls go through {@link #answer}
   */
  void change(Runnable change) {
    for (int attempt = 1; ; attempt++) {
      try {
        change.run();
        return;
      } catch (KubernetesClientException error) {
        if (!conflict(error)) {
          throw error;
        }
        if (attempt == MAX_CHANGES) {
          throw stale(error);
        }
      }
    }
  }

  /** Makes the call; a conflict comes as the client tells it. */
  <T> T answer(Supplier<T> call) {
    return retry.executeSupplier(() -> breaker.executeSupplier(call));
  }

  private static boolean conflict(KubernetesClientException error) {
    return error.getCode() == HttpURLConnection.HTTP_CONFLICT;
  }

  private static StaleException stale(KubernetesClientException error) {
    return new StaleException(String.valueOf(error.getMessage()));
  }

  /** Makes the call; empty when the object is not there. */
  <T> Optional<T> find(Supplier<T> call) {
    try {
      return Optional.ofNullable(call(call));
    } catch (KubernetesClientException error) {
      if (error.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
        return Optional.empty();
      }
      throw error;
    }
  }

  private static boolean serverInTrouble(Throwable error) {
    if (!(error instanceof KubernetesClientException api)) {
      return false;
    }
    return api.getCode() == 0
        || api.getCode() == TOO_MANY_REQUESTS
        || api.getCode() >= HttpURLConnection.HTTP_INTERNAL_ERROR;
  }

  private static boolean unanswered(Throwable error) {
    return error instanceof KubernetesClientException api && api.getCode() == 0;
  }
}
