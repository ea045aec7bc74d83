package dev.rekindle.detect.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentConfigTest {
  @Test
  void shouldTakeDefaultsWhenOnlyTheNodeIsNamed() {
    assertThat(AgentConfig.of(Map.of("REKINDLE_NODE_NAME", "node-1.example")))
        .isEqualTo(
            new AgentConfig(
                "node-1.example",
                Path.of("/dev/kmsg"),
                Path.of("/var/log/pods"),
                Path.of("/var/lib/rekindle"),
                8081,
                Duration.ofSeconds(5),
                true,
                Path.of("/sys/fs/cgroup"),
                Path.of("/proc")));
  }

  @Test
  void shouldTakeEverySettingWhenAllAreGiven() {
    assertThat(
            AgentConfig.of(
                Map.of(
                    "REKINDLE_NODE_NAME", "n",
                    "REKINDLE_KMSG", "/k",
                    "REKINDLE_POD_LOGS", "/p",
                    "REKINDLE_STATE_DIR", "/s",
                    "REKINDLE_HTTP_PORT", "9000",
                    "REKINDLE_REPORT_INTERVAL", "500ms",
                    "REKINDLE_FREEZE", "false",
                    "REKINDLE_CGROUP", "/c",
                    "REKINDLE_PROC", "/pr")))
        .isEqualTo(
            new AgentConfig(
                "n",
                Path.of("/k"),
                Path.of("/p"),
                Path.of("/s"),
                9000,
                Duration.ofMillis(500),
                false,
                Path.of("/c"),
                Path.of("/pr")));
  }

  @ParameterizedTest
  @CsvSource({
    "REKINDLE_NODE_NAME,''",
    "REKINDLE_NODE_NAME,Node 1",
    "REKINDLE_KMSG,dev/kmsg",
    "REKINDLE_POD_LOGS,''",
    "REKINDLE_STATE_DIR,state",
    "REKINDLE_FREEZE,yes",
    "REKINDLE_CGROUP,sys",
    "REKINDLE_PROC,''",
    "REKINDLE_HTTP_PORT,http",
    "REKINDLE_HTTP_PORT,65536",
    "REKINDLE_REPORT_INTERVAL,5",
    "REKINDLE_REPORT_INTERVAL,1ms",
    "REKINDLE_REPORT_INTERVAL,1h"
  })
  void shouldNameTheVariableWhenItMakesNoSense(String name, String value) {
    var environment = new HashMap<>(Map.of("REKINDLE_NODE_NAME", "n"));
    environment.put(name, value);
    assertThatThrownBy(() -> AgentConfig.of(environment))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(name);
  }
}
