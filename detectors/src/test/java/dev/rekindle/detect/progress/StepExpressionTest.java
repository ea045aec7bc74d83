package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Expressions that are taken, and those that are refused. */
class StepExpressionTest extends StepExpressionFixture {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "(\\d+)",
        "^batch (\\d+) of",
        "(?i)step\\s*[:=]\\s*(\\d{1,18})",
        "{\"step\": (\\d+)}",
        "a{,3}(b){x}{01}",
        "\\[rank0\\]: (?P<step>[0-9]+)/",
        "(?<step>[[:digit:]]+) (?:a|b||c)(?-i:d)",
        "[]a-z^-](x)[^]]",
        "[\\d.-]+(\\w*?)$",
        "步数[:：]\\s*(\\d+)",
        "\\x1b\\[0m(\\d+)\\x{1F600}",
        "([\\x{0}-\\x{10FFFF}])",
        "(?i)([[:^upper:]]\\W[^k-s])",
        "(?-i)\u1c88(\\d+)",
        "saved at (.*)",
        "(.{0,200})",
        "x{2,5}(y{3,}z{0})",
        "^(?:(?:a+)+)+(\\d)$",
        "a(b)?",
        "(\\Ax\\b\\B\\z)",
        "()",
      })
  void shouldTakeWhatALogLineMayNeed(String expression) {
    var checked = StepExpression.check(expression);
    assertThat(checked.problem()).isEmpty();
    var pattern = Pattern.compile(expression);
    assertThat(pattern.groupCount()).isEqualTo(1);
    assertThat(pattern.programSize()).isLessThanOrEqualTo(checked.size());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {
        // These two ended every controller, and the progress thread of every agent.
        "((?:(?:(?:x{1000}){1000}){1000}))#repeats too much",
        "((?:(?:x?){1000}){20}y)#repeats too much",
        "(x{1000})#repeats too much",
        "(\\d{1,18}){99}#repeats too much",
        "((((((((((((((((((((((((((((((((((x))))))))))))))))))))))))))))))))))#nests more than 32",
        "x#has 0 groups; it needs exactly one",
        "(a)(b)#has 2 groups; it needs exactly one",
        "(a)\\1#is no RE2 expression: \\1",
        "(\\pL)#is no RE2 expression: \\p",
        "(\\Qa\\E)#is no RE2 expression: \\Q",
        "(\\C)#is no RE2 expression: \\C",
        "(a#is no RE2 expression: a ) is missing",
        "(a))#is no RE2 expression: a ) closes nothing",
        "([a)#is no RE2 expression: a ] is missing",
        "([a-#is no RE2 expression: a ] is missing",
        "([[:nope:]])#is no RE2 expression: there is no such class",
        "([[:])#is no RE2 expression: there is no such class",
        "([z-a])#is no RE2 expression: a range of characters",
        "(?=a)(b)#is no RE2 expression: (?",
        "(?#is no RE2 expression: (?",
        "(?P<>a)#is no RE2 expression: a group has no proper name",
        "(a**)#is no RE2 expression: there is nothing to repeat",
        "({+a)#is no RE2 expression: there is nothing to repeat",
        "(*a)#is no RE2 expression: there is nothing to repeat",
        "(|+)#is no RE2 expression: there is nothing to repeat",
        "(a){2}{3}#is no RE2 expression: there is nothing to repeat",
        "(a{1001})#is no RE2 expression: a repeat is above 1000",
        "(a{99999999999})#is no RE2 expression: a repeat is above 1000",
        "(a{4,2})#is no RE2 expression: a repeat is above 1000",
        "(a)\\#is no RE2 expression: it ends with a backslash",
        "(\\x1)#is no RE2 expression: \\x without a number",
        "(\\x{110000})#is no RE2 expression: \\x names no character",
        "(\\é)#is no RE2 expression: an escape is not known",
        // These never end where RE2/J compiles them: an upper case with another lower case.
        "(?i)\u1c88 (\\d+)#ignores the case of characters beyond ASCII",
        "(?i)([0-\ufffd])#ignores the case of characters beyond ASCII",
        "(?is:[\\x{1C80}-\\x{1C88}])(x)#ignores the case of characters beyond ASCII",
        "\u00e9(?-i:x)(?i-s:y)(z)#ignores the case of characters beyond ASCII",
      })
  void shouldSayWhyWhenExpressionIsOutOfBounds(String expression, String why) {
    assertThat(StepExpression.check(expression).problem()).startsWith(why);
  }

  @Test
  void shouldRefuseWhenExpressionIsTooLong() {
    assertThat(StepExpression.check("(" + "a".repeat(254) + ")").problem()).isEmpty();
    assertThat(StepExpression.check("(" + "a".repeat(255) + ")").problem())
        .isEqualTo("is longer than 256 characters");
  }
}
