package dev.rekindle.controller.nodehealth;

import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RepairAction;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.node.ConditionReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Conditions of a node that {@link ConditionRules} says are bad. Pure. */
final class ConditionSymptoms {
  private ConditionSymptoms() {}

  static List<NodeSymptom> of(NodeHealthSnapshot s, Policy policy) {
    ConditionRules rules = ConditionRules.of(policy.nodeConditions());
    List<NodeSymptom> symptoms = new ArrayList<>();
    for (ConditionReading condition : s.node().signs().conditions()) {
      Optional<ConditionRules.Match> match = rules.judge(condition);
      if (match.isEmpty() || match.get().verdict() == ConditionRules.Verdict.IGNORE) {
        continue;
      }
      boolean fences = match.get().verdict() == ConditionRules.Verdict.FENCE;
      symptoms.add(
          new NodeSymptom(
              s.node().name(),
              ComponentType.NODE,
              "",
              match.get().code(),
              Detectors.CONDITION,
              fences ? FenceGuidance.ALWAYS : FenceGuidance.NEVER,
              RepairAction.INVESTIGATE.word(),
              condition.since(),
              match.get().delay(),
              describe(condition)));
    }
    return symptoms;
  }

  private static String describe(ConditionReading condition) {
    String reason = condition.reason().isEmpty() ? "" : " (" + condition.reason() + ")";
    String message = condition.message().isEmpty() ? "" : ": " + condition.message();
    return "condition %s is %s%s%s"
        .formatted(condition.type(), condition.status(), reason, message);
  }

  /** Whether the condition that a fault was read off is Unknown now. */
  static boolean unknown(NodeHealthSnapshot s, Policy policy, String code) {
    ConditionRules rules = ConditionRules.of(policy.nodeConditions());
    return s.node().signs().conditions().stream()
        .filter(ConditionReading::unknown)
        .filter(c -> rules.knows(c.type()))
        .map(c -> ConditionRules.code(c.type()))
        .anyMatch(of -> code.equals(of) || code.startsWith(of + "-"));
  }
}
