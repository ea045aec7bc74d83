package dev.rekindle.controller.app;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A registry as Prometheus reads it. */
final class Exposed {
  private Exposed() {}

  static String text(PrometheusRegistry registry) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      PrometheusTextFormatWriter.create().write(out, registry.scrape());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  /** Samples of a name. */
  static List<String> lines(PrometheusRegistry registry, String name) {
    return text(registry).lines().filter(line -> line.startsWith(name)).toList();
  }
}
