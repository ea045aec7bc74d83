package dev.rekindle.watch;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Ends an answer that is not complete after a minute. The time-out of a request ends when its
 * answer begins: one that stops in the middle, as its connection died, is waited for without end by
 * the client library, and with it the loop that has made the call. Watches are left alone: they
 * have no end, and {@link WatchLiveness} finds those that have died.
 */
public final class AnswerLimit implements Interceptor {
  /** Its name for the builder of an HTTP client. */
  public static final String NAME = "rekindle-answer-limit";

  private static final Duration USUAL = Duration.ofSeconds(60);

  private static final ScheduledThreadPoolExecutor CLOCK = clock();

  private final Duration limit;
  private final ScheduledExecutorService clock;

  /** The limit of usual calls. */
  public AnswerLimit() {
    this(USUAL, CLOCK);
  }

  AnswerLimit(Duration limit, ScheduledExecutorService clock) {
    this.limit = limit;
    this.clock = clock;
  }

  private static ScheduledThreadPoolExecutor clock() {
    ScheduledThreadPoolExecutor clock =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("answer-limit").daemon().factory());
    clock.setRemoveOnCancelPolicy(true);
    return clock;
  }

  @Override
  public void after(
      HttpRequest request,
      HttpResponse<?> response,
      AsyncBody.Consumer<List<ByteBuffer>> consumer) {
    if (response.body() instanceof AsyncBody body && !isWatch(request)) {
      var end = clock.schedule(body::cancel, limit.toMillis(), TimeUnit.MILLISECONDS);
      var _ = body.done().whenComplete((_, _) -> end.cancel(false));
    }
  }

  private static boolean isWatch(HttpRequest request) {
    String query = request.uri().getQuery();
    return query != null && Arrays.asList(query.split("&")).contains("watch=true");
  }
}
