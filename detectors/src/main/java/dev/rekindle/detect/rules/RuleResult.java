package dev.rekindle.detect.rules;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RepairAction;

/**
 * What follows from one finding by itself, and why.
 *
 * @param verdict what follows
 * @param reason why, one sentence without its full stop
 * @param action what repairs it, in the words of {@code NodeFault.spec.action}
 * @param rule name of the rule that decided; empty where the catalogue did
 * @param weighed whether it may fence when it comes again, which is weighed elsewhere
 * @param clears whether it clears the faults of its device
 */
public record RuleResult(
    Verdict verdict, String reason, String action, String rule, boolean weighed, boolean clears) {

  /** What a NodeFault says of fencing then. */
  public FenceGuidance guidance() {
    return verdict == Verdict.FENCE
        ? FenceGuidance.ALWAYS
        : weighed ? FenceGuidance.THRESHOLD : FenceGuidance.NEVER;
  }

  /** The same, fencing because of what was weighed. */
  public RuleResult fencing(String why) {
    return new RuleResult(
        Verdict.FENCE,
        reason + "; " + why,
        RepairAction.RESTART_JOB.is(action) || RepairAction.IGNORE.is(action)
            ? RepairAction.INVESTIGATE.word()
            : action,
        rule,
        weighed,
        clears);
  }

  /** The same of a part that no reboot repairs. */
  public RuleResult stubborn(int reboots) {
    return new RuleResult(
        verdict,
        reason + "; it came back after " + reboots + " reboots: replace the part",
        RepairAction.DRAIN_AND_RMA.word(),
        rule,
        weighed,
        clears);
  }
}
