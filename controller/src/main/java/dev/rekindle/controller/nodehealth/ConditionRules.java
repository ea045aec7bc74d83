package dev.rekindle.controller.nodehealth;

import dev.rekindle.api.NodeConditionRule;
import dev.rekindle.controller.model.NamePattern;
import dev.rekindle.detect.node.ConditionReading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * What conditions of nodes mean. The built-in rules fence where a condition speaks of hardware that
 * is gone or broken and its author does not mix in what an application can cause; where it may
 * ({@code XIDErrors} counts them all), the fault is reported and the agent's own reading of the
 * kernel log decides. A type that no rule names is left alone.
 */
final class ConditionRules {
  private static final Duration DEFAULT_DELAY = Duration.ofSeconds(10);

  /** What to make of a condition that is bad. */
  enum Verdict {
    IGNORE,
    WATCH,
    FENCE
  }

  /**
   * @param code code of the fault
   * @param delay how long it must stand first
   */
  record Match(Verdict verdict, String code, Duration delay) {}

  static final List<NodeConditionRule> BUILT_IN =
      List.of(
          // EKS node monitoring agent. What it calls a warning it does not repair by itself.
          rule("AcceleratedHardwareReady", "False", "ignore", 0, "NvidiaXID*Warning"),
          rule(
              "AcceleratedHardwareReady",
              "False",
              "watch",
              10,
              "DCGMError",
              "DCGMHealthCode*",
              "FabricManagerNotRunning",
              "NvidiaNCCLError"),
          rule(
              "AcceleratedHardwareReady",
              "False",
              "fence",
              0,
              "NvidiaXID*Error",
              "NvidiaDoubleBitError",
              "NvidiaNVLinkError",
              "NvidiaFabricError",
              "NvidiaDeviceCountMismatch"),
          rule("AcceleratedHardwareReady", "False", "fence", 10),
          rule("NetworkingReady", "False", "watch", 30),
          rule("KernelReady", "False", "watch", 30),
          rule("StorageReady", "False", "watch", 30),
          rule("ContainerRuntimeReady", "False", "watch", 30),
          // AKS, by node-problem-detector.
          rule("GPUMissing", "True", "fence", 30),
          rule("NVLinkStatusInactive", "True", "fence", 30),
          rule("XIDErrors", "True", "watch", 10),
          rule("IBLinkFlapping", "True", "watch", 30),
          rule("GPUClockThrottling", "True", "watch", 60),
          rule("UnhealthyNvidiaDevicePlugin", "True", "watch", 60),
          // node-problem-detector's own.
          rule("ReadonlyFilesystem", "True", "fence", 10),
          rule("KernelDeadlock", "True", "fence", 30),
          rule("XfsShutdown", "True", "fence", 10),
          rule("CperHardwareErrorFatal", "True", "fence", 0),
          // Meta's gcm, by node-problem-detector.
          rule("Gcm*Problem", "True", "watch", 10),
          // NVSentinel: the type is the name of the check.
          rule("SysLogsGPUFallenOff", "True", "fence", 0),
          rule("RepeatedXIDErrorOnSameGPU", "True", "fence", 0),
          rule("SysLogsXIDError", "True", "watch", 10),
          rule("SysLogsSXIDError", "True", "watch", 10),
          rule("SysLogsNICDriverError", "True", "watch", 10),
          rule("InfiniBandDegradationCheck", "True", "watch", 10),
          rule("RepeatedXID31OnSameGPU", "True", "watch", 10),
          rule("MultipleRemediations", "True", "watch", 10));

  private static final ConditionRules NONE_GIVEN = new ConditionRules(BUILT_IN);

  private final List<NodeConditionRule> rules;

  private ConditionRules(List<NodeConditionRule> rules) {
    this.rules = rules;
  }

  /** The rules of a policy before the built-in ones of other types. */
  static ConditionRules of(List<NodeConditionRule> given) {
    if (given.isEmpty()) {
      return NONE_GIVEN;
    }
    List<NodeConditionRule> all = new ArrayList<>(given);
    BUILT_IN.stream()
        .filter(rule -> given.stream().noneMatch(g -> g.type().equals(rule.type())))
        .forEach(all::add);
    return new ConditionRules(List.copyOf(all));
  }

  /** What the condition means; empty when it is not bad, or no rule names it. */
  Optional<Match> judge(ConditionReading condition) {
    for (NodeConditionRule rule : rules) {
      List<String> reasons = Objects.requireNonNullElse(rule.reasons(), List.of());
      if (NamePattern.fits(rule.type(), condition.type())
          && rule.failingStatus().equals(condition.status())
          && (reasons.isEmpty()
              || reasons.stream().anyMatch(r -> NamePattern.fits(r, condition.reason())))) {
        return Optional.of(
            new Match(
                Verdict.valueOf(rule.verdict().toUpperCase(Locale.ROOT)),
                reasons.isEmpty()
                    ? code(condition.type())
                    : code(condition.type()) + "-" + word(condition.reason()),
                delay(rule)));
      }
    }
    return Optional.empty();
  }

  /** Whether a rule names the type, whatever its status. */
  boolean knows(String type) {
    return rules.stream().anyMatch(rule -> NamePattern.fits(rule.type(), type));
  }

  /** Code of the faults of a condition; that of one with a reason of its own begins so. */
  static String code(String type) {
    return "COND-" + word(type);
  }

  /** A word of somebody else's in the alphabet of codes, at most 60 characters. */
  static String word(String text) {
    StringBuilder word = new StringBuilder();
    for (char c : text.toUpperCase(Locale.ROOT).toCharArray()) {
      boolean plain = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (plain) {
        word.append(c);
      } else if (!word.isEmpty() && word.charAt(word.length() - 1) != '-') {
        word.append('-');
      }
      if (word.length() == 60) {
        break;
      }
    }
    while (!word.isEmpty() && word.charAt(word.length() - 1) == '-') {
      word.setLength(word.length() - 1);
    }
    return word.isEmpty() ? "NONE" : word.toString();
  }

  private static Duration delay(NodeConditionRule rule) {
    return rule.delaySeconds() == null ? DEFAULT_DELAY : Duration.ofSeconds(rule.delaySeconds());
  }

  private static NodeConditionRule rule(
      String type, String bad, String verdict, int delaySeconds, String... reasons) {
    return new NodeConditionRule(
        type, bad, verdict, delaySeconds, reasons.length == 0 ? null : List.of(reasons));
  }
}
