package dev.rekindle.detect.progress;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.rekindle.detect.progress.Reading.Step;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Finds the step in a line of a training log. The expression is the tenant's input: it is held
 * against bounds before it is compiled, and RE2/J keeps the time linear in the length of the line.
 */
public final class StepPattern {
  /** Steps of the matcher that one poll of a log may take, however big the expression is. */
  private static final int WORK = 16 * 1024 * 1024;

  private final @Nullable Pattern own;
  private final String problem;
  private final int charactersPerLook;
  private final String expression;

  private StepPattern(
      String expression, @Nullable Pattern own, String problem, int charactersPerLook) {
    this.expression = expression;
    this.own = own;
    this.problem = problem;
    this.charactersPerLook = charactersPerLook;
  }

  /** What fits the example and the common trainers. */
  public static StepPattern byDefault() {
    return new StepPattern("", null, "", Integer.MAX_VALUE);
  }

  /**
   * Why an expression is not taken, as a clause that follows its name; empty when it is. Compiles
   * nothing: to check a job needs no compiled pattern.
   *
   * @param expression an RE2 expression with one group that holds the step
   */
  public static String problemOf(String expression) {
    return StepExpression.check(expression).problem();
  }

  /**
   * The expression of a job; the default, and why, when it cannot be used.
   *
   * @param expression an RE2 expression with one group that holds the step
   */
  public static StepPattern of(String expression) {
    var checked = StepExpression.check(expression);
    if (!checked.problem().isEmpty()) {
      return unusable(expression, checked.problem());
    }
    try {
      var pattern = Pattern.compile(expression);
      return new StepPattern(expression, pattern, "", WORK / checked.size());
    } catch (PatternSyntaxException e) {
      return unusable(expression, "is no RE2 expression: " + e.getDescription());
    }
  }

  private static StepPattern unusable(String expression, String why) {
    return new StepPattern(
        expression,
        null,
        "step pattern " + why + "; the default pattern is used",
        Integer.MAX_VALUE);
  }

  /** Characters that one poll of a log may read, so that none keeps the others waiting. */
  int charactersPerLook() {
    return charactersPerLook;
  }

  /** The expression as the job gives it; empty for one that gives none. */
  public String expression() {
    return expression;
  }

  /** Why the job's expression is not used; empty when it is, or when the job has none. */
  public String problem() {
    return problem;
  }

  /** Whether the job says itself how its lines name steps. */
  boolean isOwn() {
    return own != null;
  }

  /**
   * The step that a line names, if it names one. An own expression is tried on the line as a
   * terminal would show it, and on the line with its escape sequences.
   */
  OptionalLong find(String line) {
    var expression = own;
    if (expression == null) {
      return LineReader.read(line)
          .map(r -> r instanceof Step step ? OptionalLong.of(step.number()) : OptionalLong.empty())
          .orElse(OptionalLong.empty());
    }
    var shown = AnsiText.of(line).text();
    var found = find(expression, shown);
    return found.isPresent() || shown.equals(line) ? found : find(expression, line);
  }

  private static OptionalLong find(Pattern expression, String line) {
    var matcher = expression.matcher(line);
    if (!matcher.find()) {
      return OptionalLong.empty();
    }
    var digits = matcher.group(1);
    return digits == null ? OptionalLong.empty() : number(digits.strip());
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
