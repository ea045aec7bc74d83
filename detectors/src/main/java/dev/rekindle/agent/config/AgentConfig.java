package dev.rekindle.agent.config;

import dev.rekindle.detect.ShortDuration;
import dev.rekindle.detect.WatchedNamespaces;
import dev.rekindle.logging.LogSettings;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * The settings of an agent, from its environment. Those of its log, which has begun before, are
 * checked and not held: see {@link LogSettings}.
 *
 * @param node {@code REKINDLE_NODE_NAME}: name of the Node it runs on; required
 * @param kmsg {@code REKINDLE_KMSG}: the kernel log; default {@code /dev/kmsg}
 * @param podLogs {@code REKINDLE_POD_LOGS}: the kubelet's pod logs; default {@code /var/log/pods}
 * @param state {@code REKINDLE_STATE_DIR}: what survives a restart of the agent; default {@code
 *     /var/lib/rekindle}
 * @param httpPort {@code REKINDLE_HTTP_PORT}: port of /livez, /readyz and /metrics; default 8081; 0
 *     takes any that is free
 * @param reportInterval {@code REKINDLE_REPORT_INTERVAL}: how often a RankReport is refreshed, more
 *     seldom for the gangs of more than 320 pods; default 5s
 * @param freeze {@code REKINDLE_FREEZE}: whether containers may be frozen and restarted in place;
 *     default true
 * @param evidence {@code REKINDLE_EVIDENCE}: whether the ranks of a stalled job are inspected
 *     before they are frozen; default true
 * @param cgroup {@code REKINDLE_CGROUP}: the cgroup file systems of the node; default {@code
 *     /sys/fs/cgroup}
 * @param proc {@code REKINDLE_PROC}: the proc file system of the node; default {@code /proc}
 * @param rules {@code REKINDLE_RULES}: rules to lay over those that ship; may be absent; default
 *     {@code /etc/rekindle/rules/rules.yaml}
 * @param token {@code REKINDLE_TOKEN}: the token of its pod, which names the Node; default where
 *     Kubernetes puts it
 * @param namespaces {@code REKINDLE_WATCH_NAMESPACES}: whose jobs it watches; default all
 * @param devices how GPUs and NICs are read
 */
public record AgentConfig(
    String node,
    Path kmsg,
    Path podLogs,
    Path state,
    int httpPort,
    Duration reportInterval,
    boolean freeze,
    boolean evidence,
    Path cgroup,
    Path proc,
    Path rules,
    Path token,
    WatchedNamespaces namespaces,
    DeviceSettings devices) {

  /**
   * Reads the settings.
   *
   * @throws IllegalArgumentException naming the variable and what is wrong with it
   */
  public static AgentConfig of(Map<String, String> environment) {
    var badLogSettings = LogSettings.of(environment).problems();
    if (!badLogSettings.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", badLogSettings));
    }
    var node = environment.getOrDefault("REKINDLE_NODE_NAME", "");
    if (!node.matches("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")) {
      throw new IllegalArgumentException(
          "REKINDLE_NODE_NAME='" + node + "' is no node name; set it from spec.nodeName");
    }
    var interval = duration(environment, "REKINDLE_REPORT_INTERVAL", "5s");
    if (interval.compareTo(Duration.ofMillis(100)) < 0
        || interval.compareTo(Duration.ofMinutes(10)) > 0) {
      throw new IllegalArgumentException(
          "REKINDLE_REPORT_INTERVAL=" + interval + " is not between 100ms and 10m");
    }
    var proc = path(environment, "REKINDLE_PROC", "/proc");
    return new AgentConfig(
        node,
        path(environment, "REKINDLE_KMSG", "/dev/kmsg"),
        path(environment, "REKINDLE_POD_LOGS", "/var/log/pods"),
        path(environment, "REKINDLE_STATE_DIR", "/var/lib/rekindle"),
        port(environment),
        interval,
        flag(environment, "REKINDLE_FREEZE"),
        flag(environment, "REKINDLE_EVIDENCE"),
        path(environment, "REKINDLE_CGROUP", "/sys/fs/cgroup"),
        proc,
        path(environment, "REKINDLE_RULES", "/etc/rekindle/rules/rules.yaml"),
        path(environment, "REKINDLE_TOKEN", "/var/run/secrets/kubernetes.io/serviceaccount/token"),
        WatchedNamespaces.of(environment),
        DeviceSettings.of(environment, proc));
  }

  /**
   * An absolute path from the environment.
   *
   * @throws IllegalArgumentException naming the variable, where it is none
   */
  public static Path path(Map<String, String> environment, String name, String otherwise) {
    var text = environment.getOrDefault(name, otherwise);
    try {
      var path = Path.of(text);
      if (path.isAbsolute()) {
        return path;
      }
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(name + " is no path: " + e.getReason(), e);
    }
    throw new IllegalArgumentException(name + "='" + text + "' is not an absolute path");
  }

  /**
   * A duration from the environment, {@code 5s}.
   *
   * @throws IllegalArgumentException naming the variable, where it is none
   */
  public static Duration duration(Map<String, String> environment, String name, String otherwise) {
    try {
      return ShortDuration.parse(environment.getOrDefault(name, otherwise));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
    }
  }

  private static boolean flag(Map<String, String> environment, String name) {
    return switch (environment.getOrDefault(name, "true")) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new IllegalArgumentException(
              name + "='" + environment.get(name) + "' is neither true nor false");
    };
  }

  private static int port(Map<String, String> environment) {
    var text = environment.getOrDefault("REKINDLE_HTTP_PORT", "8081");
    if (text.matches("\\d{1,5}") && Integer.parseInt(text) <= 65_535) {
      return Integer.parseInt(text);
    }
    throw new IllegalArgumentException("REKINDLE_HTTP_PORT='" + text + "' is no port");
  }
}
