package dev.rekindle.controller.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.model.HistoryLimits;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ControllerConfigTest {
  private static final Map<String, String> LEAST =
      Map.of(
          "REKINDLE_NAMESPACE",
          "rekindle-system",
          "REKINDLE_IDENTITY",
          "pod-0",
          "REKINDLE_INSPECTOR_IMAGE",
          "rekindle:1");

  @Test
  void shouldDefaultAllButWhatOnlyTheDeploymentKnows() {
    ControllerConfig config = ControllerConfig.of(LEAST);
    assertThat(config.lease().namespace()).isEqualTo("rekindle-system");
    assertThat(config.lease().identity()).isEqualTo("pod-0");
    assertThat(config.lease().duration()).isEqualTo(Duration.ofSeconds(15));
    assertThat(config.lease().renewDeadline()).isEqualTo(Duration.ofSeconds(10));
    assertThat(config.lease().retryPeriod()).isEqualTo(Duration.ofSeconds(2));
    assertThat(config.inspectorImage()).isEqualTo("rekindle:1");
    assertThat(config.inspectorPullPolicy()).isEqualTo("IfNotPresent");
    assertThat(config.httpPort()).isEqualTo(8080);
    assertThat(config.ascend()).isFalse();
    assertThat(config.history()).isEqualTo(HistoryLimits.DEFAULT);
  }

  static Stream<Arguments> wrong() {
    return Stream.of(
        argumentSet("no unit", "REKINDLE_LEASE_DURATION", "15", "REKINDLE_LEASE_DURATION"),
        argumentSet("too short", "REKINDLE_LEASE_RETRY", "1ms", "less than 100ms"),
        argumentSet("renews too late", "REKINDLE_LEASE_RENEW", "15s", "must be less than"),
        argumentSet("tries too late", "REKINDLE_LEASE_RETRY", "10s", "must be less than"),
        argumentSet("no port", "REKINDLE_HTTP_PORT", "http", "is no port"),
        argumentSet("port too high", "REKINDLE_HTTP_PORT", "70000", "is no port"),
        argumentSet("pull policy", "REKINDLE_INSPECTOR_PULL_POLICY", "Sometimes", "is none of"),
        argumentSet("log format", "REKINDLE_LOG_FORMAT", "xml", "is none of logfmt, json"),
        argumentSet("log level", "REKINDLE_LOG_LEVEL", "INFO", "is none of error, warn, info"),
        argumentSet("no number", "REKINDLE_HISTORY_DAYS", "30d", "no number from 0 to 3650"),
        argumentSet("no namespace", "REKINDLE_WATCH_NAMESPACES", "a,B", "no name of a namespace"),
        argumentSet("no flag", "REKINDLE_ASCEND", "yes", "neither true nor false"),
        argumentSet("blank image", "REKINDLE_INSPECTOR_IMAGE", " ", "REKINDLE_INSPECTOR_IMAGE"));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void shouldSayWhichVariableIsWrong(String name, String value, String expected) {
    Map<String, String> environment = new HashMap<>(LEAST);
    environment.put(name, value);
    assertThatThrownBy(() -> ControllerConfig.of(environment))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(expected);
  }

  @Test
  void shouldReportEverythingThatIsWrongAtOnce() {
    assertThatThrownBy(() -> ControllerConfig.of(Map.of("REKINDLE_HTTP_PORT", "x")))
        .hasMessageContainingAll(
            "REKINDLE_NAMESPACE",
            "REKINDLE_IDENTITY",
            "REKINDLE_INSPECTOR_IMAGE",
            "REKINDLE_HTTP_PORT");
  }
}
