package dev.rekindle.detect.progress;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Finds the step in a line of a training log. The expression is the tenant's input: RE2/J keeps the
 * time linear in the length of the line.
 */
public final class StepPattern {
  /** Longest expression taken, in characters. */
  static final int MAX_LENGTH = 1024;

  /** {@code step 12}, {@code step=12}, {@code "global_step": 12}, {@code iteration 12/ 500 |}. */
  private static final Pattern DEFAULT =
      Pattern.compile(
          "(?i)(?:^|[^a-z0-9_])(?:(?:global|train|training)[_ -]?)?(?:step|iteration|iter)"
              + "[\"']?\\s*[:=]?\\s*(\\d{1,18})(?:[^a-z0-9_.]|\\.(?:\\D|$)|$)");

  /** Said before a step that is named but not done now: {@code resumed from ... at step 50}. */
  private static final Pattern NOT_NOW =
      Pattern.compile(
          "(?i)(?:^|[^a-z])(?:resum(?:e|ed|ing)|sav(?:e|ed|ing)|load(?:ed|ing)?|restor(?:e|ed|ing)"
              + "|checkpoint(?:ed|ing)?|continuing|starting)(?:[^a-z]|$)");

  private final @Nullable Pattern own;
  private final String problem;

  private StepPattern(@Nullable Pattern own, String problem) {
    this.own = own;
    this.problem = problem;
  }

  /** What fits the example and the common trainers. */
  public static StepPattern byDefault() {
    return new StepPattern(null, "");
  }

  /**
   * The expression of a job; the default, and why, when it cannot be used.
   *
   * @param expression an RE2 expression with one group that holds the step
   */
  public static StepPattern of(String expression) {
    if (expression.length() > MAX_LENGTH) {
      return new StepPattern(null, unusable("is longer than " + MAX_LENGTH + " characters"));
    }
    try {
      var pattern = Pattern.compile(expression);
      return pattern.groupCount() == 1
          ? new StepPattern(pattern, "")
          : new StepPattern(
              null, unusable("has " + pattern.groupCount() + " groups; it needs exactly one"));
    } catch (PatternSyntaxException e) {
      return new StepPattern(null, unusable("is no RE2 expression: " + e.getDescription()));
    }
  }

  private static String unusable(String why) {
    return "step pattern " + why + "; the default pattern is used";
  }

  /** Why the job's expression is not used; empty when it is, or when the job has none. */
  public String problem() {
    return problem;
  }

  /** The step that a line tells, if it tells one. */
  OptionalLong find(String line) {
    var matcher = (own == null ? DEFAULT : own).matcher(line);
    if (!matcher.find()) {
      return OptionalLong.empty();
    }
    var digits = matcher.group(1);
    if (digits == null
        || (own == null && NOT_NOW.matcher(line.substring(0, matcher.start(1))).find())) {
      return OptionalLong.empty();
    }
    return number(digits.strip());
  }

  private static OptionalLong number(String digits) {
    if (digits.isEmpty() || digits.length() > 18) {
      return OptionalLong.empty();
    }
    for (int i = 0; i < digits.length(); i++) {
      if (digits.charAt(i) < '0' || digits.charAt(i) > '9') {
        return OptionalLong.empty();
      }
    }
    return OptionalLong.of(Long.parseLong(digits));
  }
}
