package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import dev.rekindle.controller.runtime.Heartbeat;
import dev.rekindle.detect.ApiErrors;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The one place through which calls to the API server for objects of one kind go.
 *
 * <p>Calls for objects of a namespace go through {@link #in}, which counts the failures of each
 * namespace apart: a webhook may be of one namespace, and an owner of an object can make it so
 * large that etcd refuses each write, which an API server reports as its own failure.
 *
 * <ul>
 *   <li>A call that got no answer, or 5xx, is made again a moment later, {@link #TRIES} times in
 *       all: all calls of the gateway are idempotent, and a fence takes five calls, which all must
 *       succeed.
 *   <li>While most calls go unanswered or meet a failing server, further ones fail at once, so that
 *       a server that comes back is not met by a storm. A refusal, and 429, are answers of a server
 *       that works.
 *   <li>A call whose answer stops in the middle fails after a minute ({@link TimeLimit}).
 *   <li>After 429 no call is made for as long as the server asks, at most {@link #LONGEST_WISH}.
 *   <li>No call is made once another process may hold the lease. What was sent before that may
 *       still arrive: versions, UIDs and attempts make it harmless.
 *   <li>A conflict becomes a {@link StaleException}, any other failure a {@link CallException}.
 * </ul>
 */
final class ApiCalls {
  /** No API server may silence us for longer. */
  static final Duration LONGEST_WISH = Duration.ofSeconds(10);

  private static final int TOO_MANY_REQUESTS = 429;
  private static final int MAX_CHANGES = 5;
  private static final String DEPOSED =
      "not sent: the lease was not renewed in time, and another controller may lead";
  private static final Duration OPEN = Duration.ofSeconds(5);

  /** How often a call is made before it fails. */
  static final int TRIES = 3;

  /** About 200 and 400 ms, so that what failed together does not come back together. */
  static final IntervalFunction PAUSES =
      IntervalFunction.ofExponentialRandomBackoff(Duration.ofMillis(200), 2, 0.5);

  /** What is requested where 429 has no Retry-After. */
  private static final Duration USUAL_WISH = Duration.ofSeconds(1);

  /** Namespaces with a circuit breaker of their own; beyond them the one used longest ago goes. */
  static final int MOST_NAMESPACES = 256;

  private final String kind;
  private final Supplier<Duration> retryAfter;
  private final LongSupplier nanos;
  private final BooleanSupplier deposed;
  private final AtomicLong notBefore;
  private final CircuitBreaker breaker;
  private final Retry retry;
  private final TimeLimit limit;

  private final Map<String, ApiCalls> byNamespace =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ApiCalls> eldest) {
          return size() > MOST_NAMESPACES;
        }
      };

  /**
   * @param kind plural of the objects
   * @param retryAfter for how long the API server has just asked to be left alone; zero for not at
   *     all
   * @param nanos a clock that never steps
   * @param deposed whether another process may be at work in place of this one
   * @param pauses how long to wait before a call is made again
   */
  ApiCalls(
      String kind,
      Supplier<Duration> retryAfter,
      LongSupplier nanos,
      BooleanSupplier deposed,
      IntervalFunction pauses) {
    this(kind, retryAfter, nanos, deposed, pauses, TimeLimit.ofCalls());
  }

  /**
   * The same.
   *
   * @param limit how long one call may take
   */
  ApiCalls(
      String kind,
      Supplier<Duration> retryAfter,
      LongSupplier nanos,
      BooleanSupplier deposed,
      IntervalFunction pauses,
      TimeLimit limit) {
    this.limit = limit;
    this.deposed = deposed;
    this.kind = kind;
    this.retryAfter = retryAfter;
    this.nanos = nanos;
    this.notBefore = new AtomicLong(nanos.getAsLong());
    this.retry =
        Retry.of(
            kind,
            RetryConfig.custom()
                .maxAttempts(TRIES)
                .intervalFunction(pauses)
                .retryOnException(ApiCalls::serverInTrouble)
                .build());
    this.breaker = breaker(kind);
  }

  /** Those of a namespace: all is shared but the circuit breaker. */
  private ApiCalls(ApiCalls ofKind, String namespace) {
    this.limit = ofKind.limit;
    this.deposed = ofKind.deposed;
    this.kind = ofKind.kind + " in " + namespace;
    this.retryAfter = ofKind.retryAfter;
    this.nanos = ofKind.nanos;
    this.notBefore = ofKind.notBefore;
    this.retry = ofKind.retry;
    this.breaker = breaker(kind);
  }

  private static CircuitBreaker breaker(String name) {
    return CircuitBreaker.of(
        name,
        CircuitBreakerConfig.custom()
            .slidingWindowSize(20)
            .minimumNumberOfCalls(10)
            .failureRateThreshold(50)
            .waitDurationInOpenState(OPEN)
            .permittedNumberOfCallsInHalfOpenState(3)
            .recordException(ApiCalls::serverInTrouble)
            .build());
  }

  /** The calls for objects of that namespace: its failures stop no calls for others. */
  ApiCalls in(String namespace) {
    synchronized (byNamespace) {
      return byNamespace.computeIfAbsent(namespace, name -> new ApiCalls(this, name));
    }
  }

  /** Makes the call. */
  <T> T call(Supplier<T> call) {
    try {
      return answer(call);
    } catch (KubernetesClientException error) {
      throw translated(error);
    }
  }

  /**
   * Makes a change that reads an object, decides on it and writes what it decided; on a conflict it
   * reads and decides again. Nodes and jobs are written by others all the time, so the first try
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
        if (!conflict(error) || attempt == MAX_CHANGES) {
          throw translated(error);
        }
      }
    }
  }

  /** Makes the call; an answer that is no success comes as the client says it. */
  <T> T answer(Supplier<T> call) {
    long left = notBefore.get() - nanos.getAsLong();
    if (left > 0) {
      throw new UnavailableException(
          TOO_MANY_REQUESTS,
          "the API server asked to be left alone with " + kind,
          Duration.ofNanos(left));
    }
    try {
      return retry.executeSupplier(() -> asLeader(call));
    } catch (CallNotPermittedException open) {
      throw new UnavailableException(
          0, "the API server answered too few of the last calls for " + kind, OPEN);
    } catch (KubernetesClientException error) {
      if (error.getCode() == TOO_MANY_REQUESTS) {
        notBefore.set(nanos.getAsLong() + retryAfterOf(error).toNanos());
      }
      throw error;
    } finally {
      Heartbeat.beat();
    }
  }

  private <T> T asLeader(Supplier<T> call) {
    if (deposed.getAsBoolean()) {
      throw new UnavailableException(0, DEPOSED, Duration.ZERO);
    }
    return breaker.executeSupplier(() -> limit.within(call));
  }

  private static boolean conflict(KubernetesClientException error) {
    return error.getCode() == HttpURLConnection.HTTP_CONFLICT;
  }

  private RuntimeException translated(KubernetesClientException error) {
    String text = text(error);
    if (conflict(error)) {
      return new StaleException(text);
    }
    int status = ApiErrors.status(error);
    boolean refused =
        status >= HttpURLConnection.HTTP_BAD_REQUEST
            && status < HttpURLConnection.HTTP_INTERNAL_ERROR
            && status != HttpURLConnection.HTTP_CLIENT_TIMEOUT
            && status != TOO_MANY_REQUESTS;
    return refused
        ? new RefusedException(status, text)
        : new UnavailableException(
            status,
            text,
            status == TOO_MANY_REQUESTS ? retryAfterOf(error) : bounded(retryAfter.get()));
  }

  /** The server's own sentence where it has sent one; the client's names URLs and classes. */
  private static String text(KubernetesClientException error) {
    Status status = error.getStatus();
    return status == null || status.getMessage() == null || status.getMessage().isBlank()
        ? String.valueOf(error.getMessage())
        : status.getMessage();
  }

  private Duration retryAfterOf(KubernetesClientException error) {
    Status status = error.getStatus();
    Integer seconds =
        status == null || status.getDetails() == null
            ? null
            : status.getDetails().getRetryAfterSeconds();
    Duration asked =
        seconds == null || seconds <= 0 ? retryAfter.get() : Duration.ofSeconds(seconds);
    if (!asked.isPositive()) {
      return USUAL_WISH;
    }
    return bounded(asked);
  }

  private static Duration bounded(Duration asked) {
    return asked.compareTo(LONGEST_WISH) > 0 ? LONGEST_WISH : asked;
  }

  /** Makes the call; empty when the object is not there. */
  <T> Optional<T> find(Supplier<T> call) {
    try {
      return Optional.ofNullable(call(call));
    } catch (RefusedException error) {
      if (error.status() == HttpURLConnection.HTTP_NOT_FOUND) {
        return Optional.empty();
      }
      throw error;
    }
  }

  /** Whether no answer came, or one of a server that fails: the same call may succeed soon. */
  static boolean serverInTrouble(Throwable error) {
    if (!(error instanceof KubernetesClientException api)) {
      return false;
    }
    int status = ApiErrors.status(api);
    return status == 0 || status >= HttpURLConnection.HTTP_INTERNAL_ERROR;
  }
}
