package dev.rekindle.detect.progress;

import java.util.Optional;

/**
 * How often a part repeats.
 *
 * @param least how often at least
 * @param most how often at most; {@code least} where no most is given
 */
record RepeatBounds(int least, int most) {
  /** RE2's own bound of one repeat. */
  static final int MAX_REPEAT = 1_000;

  /**
   * Reads what follows an opening brace: that of {@code {2}}, {@code {2,}} or {@code {2,4}}.
   *
   * @return empty where something else follows; then nothing is read, and the brace stands for
   *     itself
   */
  static Optional<RepeatBounds> read(ExpressionText text) {
    var start = text.at();
    var least = number(text);
    var most = least;
    if (least >= 0 && text.looksAt(",")) {
      text.skip(1);
      most = text.looksAt("}") ? least : number(text);
    }
    if (least < 0 || most < 0 || !text.looksAt("}")) {
      text.goBack(start);
      return Optional.empty();
    }
    text.skip(1);
    return Optional.of(new RepeatBounds(least, most));
  }

  /** Whether RE2 takes them. */
  boolean isValid() {
    return least <= MAX_REPEAT && most <= MAX_REPEAT && least <= most;
  }

  /** The number that comes next, one above the bound for all that are; -1 where there is none. */
  private static int number(ExpressionText text) {
    var digits = new StringBuilder();
    while (text.isOneOf(0, "0123456789")) {
      digits.append((char) text.pop());
    }
    if (digits.isEmpty() || (digits.length() > 1 && digits.charAt(0) == '0')) {
      return -1;
    }
    return digits.length() > 4 ? MAX_REPEAT + 1 : Integer.parseInt(digits.toString());
  }
}
