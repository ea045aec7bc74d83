package dev.rekindle.controller.app;

import dev.rekindle.controller.kubernetes.LeaderLoop;
import dev.rekindle.controller.model.HistoryLimits;
import dev.rekindle.controller.notification.NotificationSettings;
import dev.rekindle.detect.ShortDuration;
import dev.rekindle.detect.WatchedNamespaces;
import dev.rekindle.logging.LogSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the controller reads from its environment. The settings of its log, which has begun before,
 * are checked and not held: see {@link LogSettings}.
 *
 * @param lease the leader's lease ({@code REKINDLE_NAMESPACE}, {@code REKINDLE_IDENTITY}, {@code
 *     REKINDLE_LEASE_DURATION}, {@code REKINDLE_LEASE_RENEW}, {@code REKINDLE_LEASE_RETRY})
 * @param inspectorImage image of the checkpoint inspector ({@code REKINDLE_INSPECTOR_IMAGE})
 * @param inspectorPullPolicy its pull policy ({@code REKINDLE_INSPECTOR_PULL_POLICY})
 * @param spareClass the priority class of warm spares; none are made without it ({@code
 *     REKINDLE_SPARE_PRIORITY_CLASS})
 * @param httpPort port of the probes and metrics ({@code REKINDLE_HTTP_PORT})
 * @param namespaces whose jobs are watched ({@code REKINDLE_WATCH_NAMESPACES}; default all)
 * @param ascend whether to read what Huawei's MindCluster reports of its devices ({@code
 *     REKINDLE_ASCEND})
 * @param history what is kept of jobs that are gone ({@code REKINDLE_HISTORY_DAYS}, {@code
 *     REKINDLE_HISTORY_PER_JOB}, {@code REKINDLE_HISTORY_PER_NAMESPACE})
 * @param notifications where notifications go ({@code REKINDLE_NOTIFICATIONS}); what is wrong there
 *     is left out, as it must not keep a controller from starting
 */
record ControllerConfig(
    LeaderLoop.Terms lease,
    String inspectorImage,
    String inspectorPullPolicy,
    String spareClass,
    int httpPort,
    WatchedNamespaces namespaces,
    boolean ascend,
    HistoryLimits history,
    NotificationSettings notifications) {
  /** Where the chart mounts the Secrets of webhooks, a folder for each. */
  static final Path SECRETS = Path.of("/etc/rekindle/webhooks");

  private static final Set<String> PULL_POLICIES = Set.of("Always", "IfNotPresent", "Never");
  private static final int MAX_PORT = 65_535;

  /**
   * Reads the environment.
   *
   * @throws IllegalArgumentException naming everything that is wrong with it
   */
  static ControllerConfig of(Map<String, String> environment) {
    return new Reader(environment).read();
  }

  /** Collects what is wrong, so that all of it is reported at once. */
  private static final class Reader {
    private final Map<String, String> environment;
    private final List<String> problems = new ArrayList<>();

    private Reader(Map<String, String> environment) {
      this.environment = environment;
    }

    private ControllerConfig read() {
      problems.addAll(LogSettings.of(environment).problems());
      LeaderLoop.Terms lease =
          new LeaderLoop.Terms(
              required("REKINDLE_NAMESPACE"),
              required("REKINDLE_IDENTITY"),
              duration("REKINDLE_LEASE_DURATION", "15s"),
              duration("REKINDLE_LEASE_RENEW", "10s"),
              duration("REKINDLE_LEASE_RETRY", "2s"));
      if (problems.isEmpty()) {
        ordered(lease);
      }
      ControllerConfig config =
          new ControllerConfig(
              lease,
              required("REKINDLE_INSPECTOR_IMAGE"),
              pullPolicy(),
              environment.getOrDefault("REKINDLE_SPARE_PRIORITY_CLASS", "").strip(),
              port("REKINDLE_HTTP_PORT", "8080"),
              namespaces(),
              flag("REKINDLE_ASCEND"),
              history(),
              NotificationSettings.parse(
                  environment.getOrDefault("REKINDLE_NOTIFICATIONS", ""), SECRETS));
      if (!problems.isEmpty()) {
        throw new IllegalArgumentException(String.join("; ", problems));
      }
      return config;
    }

    private void ordered(LeaderLoop.Terms lease) {
      if (lease.renewDeadline().compareTo(lease.duration()) >= 0) {
        problems.add("REKINDLE_LEASE_RENEW must be less than REKINDLE_LEASE_DURATION");
      }
      if (lease.retryPeriod().compareTo(lease.renewDeadline()) >= 0) {
        problems.add("REKINDLE_LEASE_RETRY must be less than REKINDLE_LEASE_RENEW");
      }
    }

    private String required(String name) {
      String value = environment.getOrDefault(name, "").strip();
      if (value.isEmpty()) {
        problems.add(name + " is not set");
      }
      return value;
    }

    private Duration duration(String name, String otherwise) {
      String value = environment.getOrDefault(name, otherwise);
      try {
        Duration duration = ShortDuration.parse(value);
        if (duration.toMillis() >= 100) {
          return duration;
        }
        problems.add(name + "=" + value + " is less than 100ms");
      } catch (IllegalArgumentException wrong) {
        problems.add(name + ": " + wrong.getMessage());
      }
      return Duration.ZERO;
    }

    private String pullPolicy() {
      String value = environment.getOrDefault("REKINDLE_INSPECTOR_PULL_POLICY", "IfNotPresent");
      if (!PULL_POLICIES.contains(value)) {
        problems.add(
            "REKINDLE_INSPECTOR_PULL_POLICY=" + value + " is none of Always, IfNotPresent, Never");
      }
      return value;
    }

    private WatchedNamespaces namespaces() {
      try {
        return WatchedNamespaces.of(environment);
      } catch (IllegalArgumentException wrong) {
        problems.add(wrong.getMessage());
        return WatchedNamespaces.ALL;
      }
    }

    private HistoryLimits history() {
      HistoryLimits usual = HistoryLimits.DEFAULT;
      return new HistoryLimits(
          Duration.ofDays(number("REKINDLE_HISTORY_DAYS", (int) usual.age().toDays(), 3650)),
          number("REKINDLE_HISTORY_PER_JOB", usual.perJob(), 1000),
          number("REKINDLE_HISTORY_PER_NAMESPACE", usual.perNamespace(), 10_000));
    }

    private int number(String name, int otherwise, int most) {
      String value = environment.getOrDefault(name, Integer.toString(otherwise));
      try {
        int number = Integer.parseInt(value);
        if (number >= 0 && number <= most) {
          return number;
        }
      } catch (NumberFormatException notANumber) {
        // reported below, like a number out of range
      }
      problems.add(name + "=" + value + " is no number from 0 to " + most);
      return otherwise;
    }

    private boolean flag(String name) {
      String value = environment.getOrDefault(name, "false");
      if (!value.equals("true") && !value.equals("false")) {
        problems.add(name + "=" + value + " is neither true nor false");
      }
      return value.equals("true");
    }

    private int port(String name, String otherwise) {
      String value = environment.getOrDefault(name, otherwise);
      try {
        int port = Integer.parseInt(value);
        if (port >= 0 && port <= MAX_PORT) {
          return port;
        }
      } catch (NumberFormatException notANumber) {
        // reported below, like a number out of range
      }
      problems.add(name + "=" + value + " is no port");
      return 0;
    }
  }
}
