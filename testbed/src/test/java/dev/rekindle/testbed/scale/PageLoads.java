package dev.rekindle.testbed.scale;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * So many page loads of the console a second, as of people who do not wait for each other: the
 * list, the fleet, and pages of recoveries.
 */
final class PageLoads implements AutoCloseable {
  /**
   * More that are not answered yet means that the rate is not kept; what is left out is counted.
   */
  private static final int IN_FLIGHT = 200;

  private final HttpClient http = HttpClient.newHttpClient();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final Semaphore room = new Semaphore(IN_FLIGHT);
  private final List<Long> took = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger failed = new AtomicInteger();
  private final AtomicInteger leftOut = new AtomicInteger();
  private final AtomicLong number = new AtomicLong();
  private final URI console;
  private final String token;
  private final long began = System.nanoTime();

  private PageLoads(URI console, String token) {
    this.console = console;
    this.token = token;
  }

  /**
   * Begins.
   *
   * @param token by which the console's API server identifies the user
   */
  static PageLoads start(URI console, String token, int perSecond) {
    PageLoads loads = new PageLoads(console, token);
    var _ =
        loads.timer.scheduleAtFixedRate(
            loads::load, 0, TimeUnit.SECONDS.toNanos(1) / perSecond, TimeUnit.NANOSECONDS);
    return loads;
  }

  private void load() {
    if (!room.tryAcquire()) {
      leftOut.incrementAndGet();
      return;
    }
    long from = System.nanoTime();
    HttpRequest request =
        HttpRequest.newBuilder(console.resolve(path(number.getAndIncrement())))
            .header("Authorization", "Bearer " + token)
            .timeout(Duration.ofSeconds(30))
            .build();
    var _ =
        http.sendAsync(request, BodyHandlers.discarding())
            .whenComplete((answer, _) -> answered(answer, from));
  }

  private void answered(HttpResponse<Void> answer, long from) {
    room.release();
    if (answer != null && answer.statusCode() == 200) {
      took.add(System.nanoTime() - from);
    } else {
      failed.incrementAndGet();
    }
  }

  private static String path(long load) {
    return switch ((int) (load % 4)) {
      case 0 -> "/recoveries";
      case 1 -> "/fleet";
      default -> "/recoveries/" + Kept.namespace(0) + "/" + Kept.name(0);
    };
  }

  /** What came of them so far. */
  Map<String, Object> result() {
    double seconds = (System.nanoTime() - began) / 1e9;
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("perSecond", Spread.round(took.size() / seconds));
    result.put("failed", failed.get());
    result.put("leftOut", leftOut.get());
    if (!took.isEmpty()) {
      result.put("took", Spread.ofNanos(List.copyOf(took)).json());
    }
    return result;
  }

  @Override
  public void close() {
    timer.shutdownNow();
    http.shutdownNow();
  }
}
