package dev.rekindle.agent.faults;

import dev.rekindle.detect.nvml.NvmlState;
import dev.rekindle.detect.nvml.NvmlStatistics;
import dev.rekindle.detect.rdma.NicStatistics;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.Locale;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * What the readers of devices count: {@code rekindle_agent_nvml_*}, {@code rekindle_agent_nic_*}.
 */
public final class DeviceMetrics {
  private final PrometheusRegistry registry;

  /** Registers nothing yet. */
  public DeviceMetrics(PrometheusRegistry registry) {
    this.registry = registry;
  }

  /** Publishes what the readers of GPUs and of RDMA ports count. */
  public void watch(Supplier<NvmlStatistics> nvml, Supplier<NicStatistics> nics) {
    GaugeWithCallback.builder()
        .name("rekindle_agent_nvml_state")
        .help("1 for the current state of NVML, 0 for the others.")
        .labelNames("state")
        .callback(
            callback -> {
              var now = nvml.get().state();
              for (var state : NvmlState.values()) {
                callback.call(state == now ? 1 : 0, state.name().toLowerCase(Locale.ROOT));
              }
            })
        .register(registry);
    gauge("nvml_gpus", "GPUs that answered the newest poll.", () -> nvml.get().gpus());
    counter("nvml_polls", "Polls that NVML answered.", () -> nvml.get().polls());
    counter("nvml_failures", "How often NVML could not be used.", () -> nvml.get().failures());
    counter("nvml_events", "Events that NVML reported.", () -> nvml.get().events());
    gauge(
        "nvml_poll_seconds",
        "Duration of the newest poll of NVML.",
        () -> seconds(nvml.get().poll()));
    gauge("nic_ports", "RDMA ports at the newest poll.", () -> nics.get().ports());
    gauge("nic_ports_down", "RDMA ports that are down.", () -> nics.get().down());
    counter("nic_polls", "Polls of the RDMA ports.", () -> nics.get().polls());
    gauge(
        "nic_poll_seconds",
        "Duration of the newest poll of the RDMA ports.",
        () -> seconds(nics.get().poll()));
    gauge(
        "nic_stuck_seconds",
        "How long the current poll has not returned; 0 if it is not late.",
        () -> seconds(nics.get().stuck()));
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  private void gauge(String name, String help, DoubleSupplier value) {
    GaugeWithCallback.builder()
        .name("rekindle_agent_" + name)
        .help(help)
        .callback(callback -> callback.call(value.getAsDouble()))
        .register(registry);
  }

  private void counter(String name, String help, DoubleSupplier value) {
    CounterWithCallback.builder()
        .name("rekindle_agent_" + name + "_total")
        .help(help)
        .callback(callback -> callback.call(value.getAsDouble()))
        .register(registry);
  }
}
