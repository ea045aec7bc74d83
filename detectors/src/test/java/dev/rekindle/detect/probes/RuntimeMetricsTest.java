package dev.rekindle.detect.probes;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class RuntimeMetricsTest {
  private static Set<String> names(PrometheusRegistry registry) {
    return registry.scrape().stream()
        .map(snapshot -> snapshot.getMetadata().getPrometheusName())
        .collect(Collectors.toSet());
  }

  /** A later version of the library may have more. */
  @Test
  void shouldHaveAllThatTheLibraryHasButNativeMemory() {
    PrometheusRegistry all = new PrometheusRegistry();
    JvmMetrics.builder().register(all);
    PrometheusRegistry ours = new PrometheusRegistry();
    RuntimeMetrics.register(ours);

    Set<String> expected = names(all);
    expected.removeIf(name -> name.startsWith("jvm_native_memory"));
    assertThat(names(ours)).isEqualTo(expected).contains("jvm_memory_used_bytes");
  }
}
