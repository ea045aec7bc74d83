package dev.rekindle.detect.probes;

import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Objects;

/** The metric that says which version of which role runs. */
public final class BuildInfo {
  private BuildInfo() {}

  /**
   * Registers {@code rekindle_build_info}, which is always 1.
   *
   * @param component the role of the process: {@code controller}, {@code agent}
   */
  public static void register(PrometheusRegistry registry, String component) {
    String version = BuildInfo.class.getPackage().getImplementationVersion();
    Gauge.builder()
        .name("rekindle_build_info")
        .help("Always 1; the labels have the component and its version.")
        .labelNames("component", "version")
        .register(registry)
        .labelValues(component, Objects.requireNonNullElse(version, "unknown"))
        .set(1);
  }
}
