package dev.rekindle.detect.progress;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Holds a tenant's expression against bounds before anything compiles it. RE2/J bounds one repeat
 * and neither repeats within repeats nor what they grow to: {@code (?:(?:x{1000}){1000}){1000}}
 * takes all memory there is, and a few thousand optional parts one behind the other overflow the
 * stack of the thread that matches a line. Nor does it ever end where it ignores the case of one of
 * U+1C80 to U+1C88, whose upper case has another lower case than they are: found by fuzzing. What
 * is taken here is a part of RE2's syntax, and all of it compiles. One pass over the text, without
 * recursion.
 */
final class StepExpression {
  /** Longest expression taken, in characters. */
  static final int MAX_LENGTH = 256;

  /** Groups within groups. */
  static final int MAX_DEPTH = 32;

  /** Instructions that it may compile to; matching takes at most so many steps for a character. */
  static final int MAX_SIZE = 500;

  private final ExpressionText text;
  private final CharacterSyntax characters;
  private final Deque<ExpressionGroup> groups = new ArrayDeque<>();
  private ExpressionGroup group = new ExpressionGroup(false);
  private int captures;
  private boolean ignoresCase;

  private StepExpression(String text) {
    this.text = new ExpressionText(text);
    this.characters = new CharacterSyntax(this.text);
  }

  /**
   * The result of checking an expression.
   *
   * @param problem why it is not taken, one clause that follows its name; empty when it is
   * @param size no fewer instructions than it compiles to
   */
  record Checked(String problem, int size) {}

  /** Checks an expression; never throws, whatever it is. */
  static Checked check(String text) {
    return text.length() > MAX_LENGTH
        ? new Checked("is longer than " + MAX_LENGTH + " characters", 0)
        : new StepExpression(text).check();
  }

  private Checked check() {
    while (!text.isBroken() && !text.isAtEnd()) {
      step();
    }
    if (!text.isBroken() && !groups.isEmpty()) {
      text.broken("a ) is missing");
    }
    if (!text.isBroken() && captures != 1) {
      text.reject("has " + captures + " groups; it needs exactly one");
    }
    if (!text.isBroken() && ignoresCase && text.isBeyondAscii()) {
      text.reject("ignores the case of characters beyond ASCII: write both cases instead of (?i)");
    }
    // Two instructions stand around each program, and one more for safety.
    var size = group.size() + 3;
    if (!text.isBroken() && size > MAX_SIZE) {
      text.reject(
          "repeats too much: it would make %s instructions, and the most is %d"
              .formatted(
                  size >= ExpressionGroup.OUT_OF_BOUNDS
                      ? "more than " + ExpressionGroup.OUT_OF_BOUNDS
                      : size,
                  MAX_SIZE));
    }
    return new Checked(text.problem(), text.isBroken() ? 0 : (int) size);
  }

  private void step() {
    var c = text.pop();
    switch (c) {
      case '(' -> open();
      case ')' -> close();
      case '|' -> group.bar();
      case '*', '+', '?' -> repeat(1);
      case '{' -> brace();
      case '[' -> {
        characters.charClass();
        group.add(1);
      }
      case '\\' -> {
        characters.escape();
        group.add(1);
      }
      default -> group.add(1);
    }
  }

  private void open() {
    if (!text.looksAt("?")) {
      push(true);
    } else if (text.looksAt("?P<") || text.looksAt("?<")) {
      var prefix = text.looksAt("?P<") ? 3 : 2;
      var name = text.between(prefix, ">").orElse("");
      if (name.isEmpty() || !name.chars().allMatch(ExpressionText::isWord)) {
        text.broken("a group has no proper name");
        return;
      }
      text.skip(prefix + name.length() + 1);
      push(true);
    } else {
      flags();
    }
  }

  /**
   * {@code (?i)} and {@code (?i:}, with the flags i, m, s and U, and {@code -} before those off.
   */
  private void flags() {
    text.skip(1);
    var off = false;
    var flags = 0;
    while (!text.isAtEnd()) {
      var c = text.pop();
      if (c == ':' && (flags > 0 || !off)) {
        push(false);
        return;
      }
      if (c == ')' && flags > 0) {
        group.end();
        return;
      }
      if (c == '-' && !off) {
        off = true;
        flags = 0;
      } else if ("imsU".indexOf(c) >= 0) {
        flags++;
        ignoresCase |= c == 'i' && !off;
      } else {
        break;
      }
    }
    text.broken("(? begins nothing that RE2 knows");
  }

  private void push(boolean capture) {
    if (groups.size() >= MAX_DEPTH) {
      text.reject("nests more than " + MAX_DEPTH + " groups");
      return;
    }
    captures += capture ? 1 : 0;
    groups.push(group);
    group = new ExpressionGroup(capture);
  }

  private void close() {
    if (groups.isEmpty()) {
      text.broken("a ) closes nothing");
      return;
    }
    var size = group.size();
    group = groups.pop();
    group.add(size);
  }

  private void repeat(int times) {
    if (!group.isRepeatable()) {
      text.broken("there is nothing to repeat, or a repeat of a repeat");
      return;
    }
    group.repeat(times);
    if (text.looksAt("?")) {
      text.skip(1);
    }
  }

  private void brace() {
    RepeatBounds.read(text).ifPresentOrElse(this::repeat, group::addUnrepeatable);
  }

  private void repeat(RepeatBounds bounds) {
    if (bounds.isValid()) {
      repeat(Math.max(1, bounds.most()));
    } else {
      text.broken("a repeat is above " + RepeatBounds.MAX_REPEAT + ", or ends before it begins");
    }
  }
}
