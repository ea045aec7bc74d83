package dev.rekindle.detect.rules;

/**
 * What follows from one finding, and why.
 *
 * @param verdict what follows
 * @param reason why, one sentence without its full stop
 * @param action what repairs it, in the words of {@code NodeFault.spec.action}
 * @param rule name of the rule that decided; empty where the catalogue did
 * @param reached whether a threshold is why it fences
 * @param clears whether it clears the faults of its device
 */
public record Judgement(
    Verdict verdict, String reason, String action, String rule, boolean reached, boolean clears) {}
