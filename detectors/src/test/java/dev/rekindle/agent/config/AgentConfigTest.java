package dev.rekindle.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.detect.WatchedNamespaces;
import dev.rekindle.detect.nvml.NvmlSettings;
import dev.rekindle.detect.rdma.NicSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
                true,
                Path.of("/sys/fs/cgroup"),
                Path.of("/proc"),
                Path.of("/etc/rekindle/rules/rules.yaml"),
                Path.of("/var/run/secrets/kubernetes.io/serviceaccount/token"),
                WatchedNamespaces.ALL,
                new DeviceSettings(
                    new NvmlSettings(
                        true,
                        List.of(Path.of("/host/driver"), Path.of("/proc/1/root"), Path.of("/")),
                        Duration.ofSeconds(15),
                        Duration.ofMinutes(2),
                        Duration.ofMinutes(5),
                        Duration.ofSeconds(5)),
                    new NicSettings(
                        true,
                        Path.of("/sys"),
                        Path.of("/proc/1/net/route"),
                        Duration.ofSeconds(15),
                        Set.of(),
                        Map.of()))));
  }

  @Test
  void shouldTakeEverySettingWhenAllAreGiven() {
    assertThat(
            AgentConfig.of(
                Map.ofEntries(
                    Map.entry("REKINDLE_NODE_NAME", "n"),
                    Map.entry("REKINDLE_KMSG", "/k"),
                    Map.entry("REKINDLE_POD_LOGS", "/p"),
                    Map.entry("REKINDLE_STATE_DIR", "/s"),
                    Map.entry("REKINDLE_HTTP_PORT", "9000"),
                    Map.entry("REKINDLE_REPORT_INTERVAL", "500ms"),
                    Map.entry("REKINDLE_FREEZE", "false"),
                    Map.entry("REKINDLE_EVIDENCE", "false"),
                    Map.entry("REKINDLE_CGROUP", "/c"),
                    Map.entry("REKINDLE_PROC", "/pr"),
                    Map.entry("REKINDLE_RULES", "/r.yaml"),
                    Map.entry("REKINDLE_NVML", "off"),
                    Map.entry("REKINDLE_NVML_ROOTS", "/a:/b"),
                    Map.entry("REKINDLE_NVML_POLL", "30s"),
                    Map.entry("REKINDLE_NVML_HUNG", "1m"),
                    Map.entry("REKINDLE_NICS", "off"),
                    Map.entry("REKINDLE_SYS", "/sy"),
                    Map.entry("REKINDLE_NIC_POLL", "5s"),
                    Map.entry("REKINDLE_NIC_EXCLUDE", "mlx5_0, mlx5_9,"),
                    Map.entry("REKINDLE_TOKEN", "/t"),
                    Map.entry("REKINDLE_NIC_RAILS", "mlx5_1=0,mlx5_2=7"))))
        .isEqualTo(
            new AgentConfig(
                "n",
                Path.of("/k"),
                Path.of("/p"),
                Path.of("/s"),
                9000,
                Duration.ofMillis(500),
                false,
                false,
                Path.of("/c"),
                Path.of("/pr"),
                Path.of("/r.yaml"),
                Path.of("/t"),
                WatchedNamespaces.ALL,
                new DeviceSettings(
                    new NvmlSettings(
                        false,
                        List.of(Path.of("/a"), Path.of("/b")),
                        Duration.ofSeconds(30),
                        Duration.ofMinutes(1),
                        Duration.ofMinutes(5),
                        Duration.ofSeconds(5)),
                    new NicSettings(
                        false,
                        Path.of("/sy"),
                        Path.of("/pr/1/net/route"),
                        Duration.ofSeconds(5),
                        Set.of("mlx5_0", "mlx5_9"),
                        Map.of("mlx5_1", 0, "mlx5_2", 7)))));
  }

  @ParameterizedTest
  @CsvSource({
    "REKINDLE_NODE_NAME,''",
    "REKINDLE_NODE_NAME,Node 1",
    "REKINDLE_KMSG,dev/kmsg",
    "REKINDLE_POD_LOGS,''",
    "REKINDLE_STATE_DIR,state",
    "REKINDLE_FREEZE,yes",
    "REKINDLE_EVIDENCE,1",
    "REKINDLE_CGROUP,sys",
    "REKINDLE_PROC,''",
    "REKINDLE_RULES,rules.yaml",
    "REKINDLE_HTTP_PORT,http",
    "REKINDLE_HTTP_PORT,65536",
    "REKINDLE_REPORT_INTERVAL,5",
    "REKINDLE_REPORT_INTERVAL,1ms",
    "REKINDLE_REPORT_INTERVAL,1h",
    "REKINDLE_NVML,on",
    "REKINDLE_NVML_ROOTS,driver",
    "REKINDLE_NVML_POLL,100ms",
    "REKINDLE_NVML_HUNG,1s",
    "REKINDLE_NICS,true",
    "REKINDLE_SYS,sys",
    "REKINDLE_NIC_POLL,2h",
    "REKINDLE_NIC_RAILS,mlx5_0",
    "REKINDLE_NIC_RAILS,mlx5_0=x",
    "REKINDLE_LOG_FORMAT,text",
    "REKINDLE_LOG_LEVEL,all"
  })
  void shouldNameTheVariableWhenItMakesNoSense(String name, String value) {
    var environment = new HashMap<>(Map.of("REKINDLE_NODE_NAME", "n"));
    environment.put(name, value);
    assertThatThrownBy(() -> AgentConfig.of(environment))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(name);
  }
}
