package dev.rekindle.detect.rules;

import dev.rekindle.detect.kernel.Finding;
import dev.rekindle.detect.kernel.Source;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.xid.XidCatalog;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Says what follows from a finding by itself, and whether it is the echo of another: a pure
 * function of the history, the finding and its time. What a finding means that comes again, {@code
 * Weigher} says. The agent and {@code rekindle judge} ask the same judge.
 */
public final class Judge {
  private final Rules rules;
  private final XidCatalog xids;
  private final SxidCatalog sxids;

  /** A judge who applies these rules, and the catalogues where they say nothing. */
  public Judge(Rules rules, XidCatalog xids, SxidCatalog sxids) {
    this.rules = rules;
    this.xids = xids;
    this.sxids = sxids;
  }

  /** The same judge with other rules. */
  public Judge with(Rules others) {
    return new Judge(others, xids, sxids);
  }

  /** The rules that are applied. */
  public Rules rules() {
    return rules;
  }

  /**
   * What came of one finding.
   *
   * @param history to remember for the next
   * @param judgement what follows
   */
  public record Judged(History history, RuleResult judgement) {}

  /**
   * Judges a finding.
   *
   * @param history what came before
   * @param finding what was found
   * @param time when; no earlier than what came before
   */
  public Judged judge(History history, Finding finding, Instant time) {
    var rule = rules.find(finding);
    var basis = CatalogDefault.of(xids, sxids, finding);
    var verdict = rule.flatMap(Rule::verdict).orElse(basis.verdict());
    var action = rule.map(Rule::action).filter(word -> !word.isEmpty()).orElse(basis.action());
    var because = rule.map(Rule::because).filter(text -> !text.isEmpty()).orElse(basis.meaning());
    var echo =
        rule.flatMap(Rule::after)
            .filter(after -> history.holds(after, finding.device(), time.minus(after.within())));
    if (echo.isPresent()) {
      verdict = echo.get().verdict();
      because = echo.get().because().isEmpty() ? because : echo.get().because();
    }
    if (finding.causedBy().isPresent()) {
      because =
          because + "; the driver names XID " + finding.causedBy().getAsInt() + " as the cause";
    }
    return new Judged(
        history.with(finding.device(), finding.name(), time),
        new RuleResult(
            verdict,
            because,
            action,
            rule.map(Rule::name).orElse(""),
            echo.isEmpty() && isWeighed(rule, basis, verdict),
            rule.isPresent() && rule.get().clears()));
  }

  /** Whether it may fence when it comes again. */
  static boolean isWeighed(Optional<Rule> rule, CatalogDefault basis, Verdict verdict) {
    return switch (verdict) {
      case WATCH ->
          rule.flatMap(Rule::repeats)
              .orElse(rule.flatMap(Rule::verdict).isPresent() || basis.threshold());
      case RESTART -> rule.flatMap(Rule::repeats).orElse(basis.threshold());
      case FENCE, IGNORE -> false;
    };
  }

  /** What the catalogue says of a code, where no rule says more. */
  public CatalogDefault basis(Source source, String code) {
    return CatalogDefault.of(
        xids,
        sxids,
        new Finding(source, code, "", "", "", OptionalLong.empty(), "", OptionalInt.empty()));
  }

  /**
   * Whether a finding that this rule decides may fence when it comes again.
   *
   * @param rule the rule; empty for the catalogue
   * @param basis what the catalogue says of its code
   */
  public static boolean isWeighed(Optional<Rule> rule, CatalogDefault basis) {
    return isWeighed(rule, basis, rule.flatMap(Rule::verdict).orElse(basis.verdict()));
  }
}
