package dev.rekindle.controller.model;

import static java.util.Objects.requireNonNullElse;

import dev.rekindle.api.CostPolicy;
import dev.rekindle.api.DetectionPolicy;
import dev.rekindle.api.FencingPolicy;
import dev.rekindle.api.MaintenancePolicy;
import dev.rekindle.api.NodeConditionRule;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.api.RecoveryTimeouts;
import dev.rekindle.api.RestartPolicy;
import dev.rekindle.api.Weighing;
import dev.rekindle.detect.policy.MaintenanceWindows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Why a RecoveryPolicy cannot be used. Its CRD refuses most of this; a cluster may have an older
 * CRD, since Helm never upgrades one, or an object from before the rule. Pure.
 */
public final class PolicyProblems {
  private final List<String> found = new ArrayList<>();

  private PolicyProblems() {}

  /** One sentence for each problem, naming the field; empty where the policy can be used. */
  public static List<String> of(RecoveryPolicySpec spec) {
    PolicyProblems problems = new PolicyProblems();
    problems.word("mode", spec.mode(), "observe", "approve", "auto");
    problems.fencing(requireNonNullElse(spec.fencing(), FencingPolicy.NONE));
    problems.restart(requireNonNullElse(spec.restart(), RestartPolicy.NONE));
    problems.detection(requireNonNullElse(spec.detection(), DetectionPolicy.NONE));
    problems.timeouts(requireNonNullElse(spec.timeouts(), RecoveryTimeouts.NONE));
    problems.found.addAll(
        MaintenanceWindows.problems(
            requireNonNullElse(spec.maintenance(), MaintenancePolicy.NONE)));
    problems.stopped(requireNonNullElse(spec.maintenance(), MaintenancePolicy.NONE));
    problems.cost(requireNonNullElse(spec.cost(), CostPolicy.NONE));
    return List.copyOf(problems.found);
  }

  private void fencing(FencingPolicy fencing) {
    word("fencing.scope", fencing.scope(), FencingPolicy.JOB_NODES, FencingPolicy.GPU_NODES);
    word("fencing.lemons", fencing.lemons(), FencingPolicy.TELL, FencingPolicy.FENCE);
  }

  private void restart(RestartPolicy restart) {
    if (restart.strategy() != null && RestartMode.of(restart.strategy()).isEmpty()) {
      word(
          "restart.strategy",
          restart.strategy(),
          Stream.of(RestartMode.values()).map(RestartMode::word).toArray(String[]::new));
    }
  }

  private void detection(DetectionPolicy detection) {
    notAbove(
        "detection.silentNodeSeconds",
        requireNonNullElse(detection.silentNodeSeconds(), DetectionPolicy.SILENT_NODE),
        "detection.stallSeconds",
        requireNonNullElse(detection.stallSeconds(), DetectionPolicy.STALL));
    Weighing weighing = requireNonNullElse(detection.weighing(), Weighing.NONE);
    notAbove(
        "detection.weighing.stickySeconds",
        requireNonNullElse(weighing.stickySeconds(), Weighing.STICKY),
        "detection.weighing.windowSeconds",
        requireNonNullElse(weighing.windowSeconds(), Weighing.WINDOW));
    conditions(requireNonNullElse(detection.nodeConditions(), List.of()));
  }

  private void conditions(List<NodeConditionRule> rules) {
    for (int i = 0; i < rules.size(); i++) {
      NodeConditionRule rule = rules.get(i);
      word("detection.nodeConditions[%d].verdict".formatted(i), rule.verdict(), VERDICTS);
      for (int earlier = 0; earlier < i; earlier++) {
        if (hides(rules.get(earlier), rule)) {
          found.add(
              "detection.nodeConditions[%d] is never used: [%d] decides every %s first"
                  .formatted(i, earlier, rule.type()));
          break;
        }
      }
    }
  }

  private static final String[] VERDICTS = {"ignore", "watch", "fence"};

  /** The first rule that fits decides; one without reasons fits every reason. */
  private static boolean hides(NodeConditionRule earlier, NodeConditionRule later) {
    return NamePattern.covers(earlier.type(), later.type())
        && earlier.failingStatus().equals(later.failingStatus())
        && requireNonNullElse(earlier.reasons(), List.of()).isEmpty();
  }

  private void timeouts(RecoveryTimeouts timeouts) {
    int grace =
        requireNonNullElse(
            timeouts.gracePeriodCapSeconds(), (Integer) RecoveryTimeouts.GRACE_PERIOD_CAP);
    int drain = requireNonNullElse(timeouts.drainSeconds(), (Integer) RecoveryTimeouts.DRAIN);
    if (grace >= drain) {
      found.add(
          "timeouts.gracePeriodCapSeconds (%d) must be below timeouts.drainSeconds (%d)"
              .formatted(grace, drain));
    }
  }

  private void stopped(MaintenancePolicy maintenance) {
    word(
        "maintenance.stoppedJobs",
        maintenance.stoppedJobs(),
        MaintenancePolicy.RECOVER,
        MaintenancePolicy.WAIT);
  }

  private void cost(CostPolicy cost) {
    String currency = requireNonNullElse(cost.currency(), CostPolicy.CURRENCY);
    if (!currency.matches("[A-Z]{3}")) {
      found.add("cost.currency is no code of three letters, such as EUR");
    }
    price("cost.pricePerGpuHour", cost.pricePerGpuHour());
    List<CostPolicy.ModelPrice> models = requireNonNullElse(cost.models(), List.of());
    if (models.size() > CostPolicy.MODELS) {
      found.add("cost.models has more than %d entries".formatted(CostPolicy.MODELS));
    }
    Set<String> named = new HashSet<>();
    for (int i = 0; i < models.size() && i < CostPolicy.MODELS; i++) {
      price("cost.models[%d].pricePerGpuHour".formatted(i), models.get(i).pricePerGpuHour());
      if (!named.add(models.get(i).product())) {
        found.add("cost.models[%d].product has a price already".formatted(i));
      }
    }
  }

  private void price(String field, @Nullable Double price) {
    if (price != null && !(price >= 0 && price <= CostPolicy.MOST)) {
      found.add("%s is no number from 0 to %d".formatted(field, CostPolicy.MOST));
    }
  }

  private void word(String field, @Nullable String value, String... known) {
    if (value != null && !Arrays.asList(known).contains(value)) {
      found.add("%s is none of %s".formatted(field, String.join(", ", known)));
    }
  }

  private void notAbove(String field, int value, String limit, int most) {
    if (value > most) {
      found.add("%s (%d) must not exceed %s (%d)".formatted(field, value, limit, most));
    }
  }
}
