package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Expressions that are taken hold on any line and on a small stack. */
class StepExpressionStackTest extends StepExpressionFixture {
  /**
   * Three quarters of what a thread of the agent has. The worst below takes 288 KiB where the first
   * compiler has compiled RE2/J's recursion by then, and 192 where it is interpreted.
   */
  private static final int STACK = 384 * 1024;

  /** What is taken compiles to no more than was said, and matches any line on a small stack. */
  @Test
  void shouldHoldForWhateverIsTaken() throws InterruptedException {
    var random = new Random(20260101);
    var lines = new String[] {"", "x", "aaaa1111", "a".repeat(4_000) + "!", "step 12, ab{}[]"};
    var taken = new int[1];
    var failures = new StringBuilder();
    var thread =
        new Thread(
            null,
            () -> {
              for (int round = 0; round < 60_000; round++) {
                var expression = expression(random);
                var checked = StepExpression.check(expression);
                if (checked.problem().isEmpty()) {
                  taken[0]++;
                  try {
                    var pattern = Pattern.compile(expression);
                    if (pattern.programSize() > checked.size() || pattern.groupCount() != 1) {
                      failures.append(expression).append(" is bigger than said\n");
                    }
                    var _ = pattern.matcher(lines[round % lines.length]).find();
                  } catch (RuntimeException | StackOverflowError e) {
                    failures.append(expression).append(' ').append(e).append('\n');
                  }
                }
              }
            },
            "small stack",
            STACK);
    thread.start();
    thread.join();
    assertThat(failures.toString()).isEmpty();
    assertThat(taken[0]).as("expressions that were taken").isGreaterThan(1_500);
  }

  /** The deepest and the biggest that are taken. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(?:(x?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?"
            + ")?)?)?)?)?)?",
        "((?:x?){80}y)",
        "(x{0,245})",
        "((?:(?:x{0,6}){0,6}){0,4})",
        "((?:a|b|c|d|e|f|g|h|ab|ac|ad){0,12})",
      })
  void shouldMatchOnASmallStackWhenExpressionIsAsBigAsMayBe(String expression)
      throws InterruptedException {
    assertThat(StepExpression.check(expression).problem()).isEmpty();
    var result = new StringBuilder();
    var thread =
        new Thread(
            null,
            () -> {
              try {
                var found = StepPattern.of(expression).find("x".repeat(LineJoiner.MAX_LINE));
                result.append("done ").append(found.isPresent());
              } catch (StackOverflowError e) {
                result.append(e);
              }
            },
            "small stack",
            STACK);
    thread.start();
    thread.join();
    assertThat(result.toString()).isEqualTo("done false");
  }
}
