package dev.rekindle.controller.kubernetes;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.github.resilience4j.core.IntervalFunction;
import java.net.HttpURLConnection;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The calls to the API server, by kind of object. Each kind has a circuit breaker of its own: a
 * webhook of PyTorchJobs that is down must not stop the cordon of a node.
 */
public final class Circuits {
  /** The name of the interceptor for the HTTP client. */
  public static final String NAME = "rekindle-retry-after";

  /** In place of an HTTP status where no answer came. */
  public static final String NO_ANSWER = "none";

  private static final int TOO_MANY_REQUESTS = 429;
  private static final String RETRY_AFTER = "Retry-After";

  private final LongSupplier nanos;
  private final BooleanSupplier deposed;
  private final IntervalFunction pauses;
  private final Map<String, ApiCalls> calls = new ConcurrentHashMap<>();
  private volatile Seen seen = new Seen(Duration.ZERO, Long.MIN_VALUE);

  /** Calls that failed, by HTTP status, or by {@link #NO_ANSWER}. */
  private final Map<String, LongAdder> errors = new ConcurrentHashMap<>();

  private final ClockSkew skew = new ClockSkew(InstantSource.system());

  private record Seen(Duration retryAfter, long until) {}

  /**
   * With the clock of this process, which never steps.
   *
   * @param deposed whether another process may be at work in place of this one
   */
  public Circuits(BooleanSupplier deposed) {
    this(System::nanoTime, deposed, ApiCalls.PAUSES);
  }

  Circuits(LongSupplier nanos, BooleanSupplier deposed, IntervalFunction pauses) {
    this.nanos = nanos;
    this.deposed = deposed;
    this.pauses = pauses;
  }

  /**
   * Reads the header {@code Retry-After}, which the client keeps out of its exceptions, and {@code
   * Date}, by which this process's clock is compared with the API server's. Add it to the HTTP
   * client under {@link #NAME}.
   */
  public Interceptor interceptor() {
    return new Interceptor() {
      @Override
      public void after(
          HttpRequest request,
          HttpResponse<?> response,
          AsyncBody.Consumer<List<ByteBuffer>> consumer) {
        skew.heard(response.headers(ClockSkew.HEADER));
      }

      @Override
      public CompletableFuture<Boolean> afterFailure(
          BasicBuilder request, HttpResponse<?> response, RequestTags tags) {
        failed(Integer.toString(response.code()));
        if (response.code() == TOO_MANY_REQUESTS
            || response.code() == HttpURLConnection.HTTP_UNAVAILABLE) {
          read(response.headers(RETRY_AFTER));
        }
        return CompletableFuture.completedFuture(false);
      }

      @Override
      public void afterConnectionFailure(HttpRequest request, Throwable failure) {
        failed(NO_ANSWER);
      }
    };
  }

  private void failed(String status) {
    errors.computeIfAbsent(status, _ -> new LongAdder()).increment();
  }

  /**
   * Calls that failed since the start of this process: by HTTP status, those without an answer
   * under {@link #NO_ANSWER}.
   */
  public Map<String, Long> errors() {
    return errors.entrySet().stream()
        .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, e -> e.getValue().sum()));
  }

  /** How far this process's clock is ahead of the API server's; empty before any answer. */
  public Optional<Duration> clockSkew() {
    return skew.last();
  }

  private void read(List<String> header) {
    if (!header.isEmpty() && header.getFirst().matches("[0-9]{1,6}")) {
      Duration retryAfter = Duration.ofSeconds(Integer.parseInt(header.getFirst()));
      seen = new Seen(retryAfter, nanos.getAsLong() + Duration.ofSeconds(1).toNanos());
    }
  }

  /** What the API server requested within the last second; zero for nothing. */
  private Duration retryAfter() {
    Seen last = seen;
    return last.until() - nanos.getAsLong() > 0 ? last.retryAfter() : Duration.ZERO;
  }

  /** The calls for objects of a kind, always the same ones. */
  ApiCalls of(String kind) {
    return calls.computeIfAbsent(
        kind, k -> new ApiCalls(k, this::retryAfter, nanos, deposed, pauses));
  }
}
