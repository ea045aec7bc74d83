package dev.rekindle.console;

import dev.rekindle.detect.probes.RuntimeMetrics;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** What the kubelet and Prometheus ask. */
@Controller
@Produces(MediaType.TEXT_PLAIN)
class HealthController {
  private final ClusterWatch cluster;
  private final PrometheusRegistry registry = new PrometheusRegistry();

  HealthController(ClusterWatch cluster) {
    this.cluster = cluster;
    RuntimeMetrics.register(registry);
    GaugeWithCallback.builder()
        .name("rekindle_console_recoveries")
        .help("Recoveries that the console holds.")
        .callback(value -> value.call(cluster.recoveries().size()))
        .register(registry);
  }

  /** The process answers. */
  @Get("/livez")
  String live() {
    return "ok\n";
  }

  /** The whole cluster was seen once. */
  @Get("/readyz")
  HttpResponse<String> ready() {
    return cluster.synced()
        ? HttpResponse.ok("ok\n")
        : HttpResponse.<String>serverError()
            .status(503)
            .body("recoveries and faults are not read yet\n");
  }

  /** Metrics in Prometheus' text format. */
  @Get("/metrics")
  String metrics() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create().write(out, registry.scrape());
    return out.toString(StandardCharsets.UTF_8);
  }
}
