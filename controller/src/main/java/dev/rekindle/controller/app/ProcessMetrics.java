package dev.rekindle.controller.app;

import dev.rekindle.controller.kubernetes.Circuits;
import dev.rekindle.controller.runtime.WorkQueue.Backlog;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Metrics of this process, read as they are requested.
 *
 * @param leading whether it leads
 * @param errors calls to the API server that failed, by status
 * @param queues what waits, by name of the queue
 */
record ProcessMetrics(
    BooleanSupplier leading,
    Supplier<Map<String, Long>> errors,
    Map<String, Supplier<Backlog>> queues) {
  /** Answers that begin at zero, so that their first one is an increase. */
  private static final List<String> STATUSES =
      List.of("400", "403", "404", "409", "422", "429", "500", "503", "504", Circuits.NO_ANSWER);

  /** The age of watches, which is set as they are listened to. */
  static Gauge bookmarks(PrometheusRegistry registry) {
    return Gauge.builder()
        .name("rekindle_watch_bookmark_age_seconds")
        .help("Time since the watch of a kind received an event or a bookmark.")
        .labelNames("kind")
        .register(registry);
  }

  /** The difference between two clocks, which is set as the API server answers. */
  static Gauge clockSkew(PrometheusRegistry registry) {
    return Gauge.builder()
        .name("rekindle_clock_skew_seconds")
        .help("Clock of this process minus that of the API server, to about a second.")
        .register(registry);
  }

  void register(PrometheusRegistry registry) {
    GaugeWithCallback.builder()
        .name("rekindle_leader")
        .help("1 while this controller leads, else 0.")
        .callback(to -> to.call(leading.getAsBoolean() ? 1 : 0))
        .register(registry);
    CounterWithCallback.builder()
        .name("rekindle_api_errors_total")
        .help("Failed calls to the API server, by HTTP status; none: no answer.")
        .labelNames("status")
        .callback(
            to -> {
              Map<String, Long> counted = new TreeMap<>();
              STATUSES.forEach(status -> counted.put(status, 0L));
              counted.putAll(errors.get());
              counted.forEach((status, count) -> to.call(count.doubleValue(), status));
            })
        .register(registry);
    GaugeWithCallback.builder()
        .name("rekindle_workqueue_depth")
        .help("Objects that are due and wait for a worker; 0 on a controller that does not lead.")
        .labelNames("queue")
        .callback(to -> queues.forEach((name, queue) -> to.call(queue.get().due(), name)))
        .register(registry);
    GaugeWithCallback.builder()
        .name("rekindle_workqueue_delay_seconds")
        .help("How long the oldest due object of a queue has been due.")
        .labelNames("queue")
        .callback(
            to ->
                queues.forEach(
                    (name, queue) -> to.call(queue.get().oldest().toMillis() / 1000.0, name)))
        .register(registry);
  }
}
