package dev.rekindle.detect.progress;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Set;

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

  /** RE2's own bound of one repeat. */
  private static final int MAX_REPEAT = 1_000;

  private static final long OUT_OF_BOUNDS = 1_000_000_000L;

  private static final Set<String> NAMED_CLASSES =
      Set.of(
          "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
          "space", "upper", "word", "xdigit");

  private final String text;
  private final Deque<Frame> groups = new ArrayDeque<>();
  private Frame group = new Frame(false);
  private int at;
  private int captures;
  private boolean ignoresCase;
  private boolean beyondAscii;
  private String problem = "";

  private StepExpression(String text) {
    this.text = text;
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

  /** A group that is open, or the whole. */
  private static final class Frame {
    private final boolean captures;
    // Room for the instruction of an empty alternative.
    private long size = 1;
    private long last;
    private boolean repeatable;

    Frame(boolean captures) {
      this.captures = captures;
    }

    void add(long atom) {
      size += last;
      last = atom;
      repeatable = true;
    }

    void end() {
      add(0);
      repeatable = false;
    }

    void bar() {
      end();
      size += 2;
    }

    void repeat(int times) {
      last = Math.min(OUT_OF_BOUNDS, (last + 1) * times + 2);
      repeatable = false;
    }

    long size() {
      return Math.min(OUT_OF_BOUNDS, size + last + (captures ? 2 : 0));
    }
  }

  private Checked check() {
    while (problem.isEmpty() && at < text.length()) {
      step();
    }
    if (problem.isEmpty() && !groups.isEmpty()) {
      broken("a ) is missing");
    }
    if (problem.isEmpty() && captures != 1) {
      problem = "has " + captures + " groups; it needs exactly one";
    }
    if (problem.isEmpty() && ignoresCase && beyondAscii) {
      problem = "ignores the case of characters beyond ASCII: write both cases instead of (?i)";
    }
    // Two instructions stand around each program, and one for luck.
    var size = group.size() + 3;
    if (problem.isEmpty() && size > MAX_SIZE) {
      problem =
          "repeats too much: it would make "
              + (size >= OUT_OF_BOUNDS ? "more than " + OUT_OF_BOUNDS : String.valueOf(size))
              + " instructions, and the most is "
              + MAX_SIZE;
    }
    return new Checked(problem, problem.isEmpty() ? (int) size : 0);
  }

  private void step() {
    var c = pop();
    switch (c) {
      case '(' -> open();
      case ')' -> close();
      case '|' -> group.bar();
      case '*', '+', '?' -> repeat(1);
      case '{' -> brace();
      case '[' -> charClass();
      case '\\' -> escape();
      default -> group.add(1);
    }
  }

  private int pop() {
    var c = text.codePointAt(at);
    at += Character.charCount(c);
    beyondAscii |= c >= 0x80;
    return c;
  }

  private boolean looksAt(String next) {
    return text.startsWith(next, at);
  }

  private void broken(String why) {
    problem = "is no RE2 expression: " + why;
  }

  // Groups.

  private void open() {
    if (!looksAt("?")) {
      push(true);
    } else if (looksAt("?P<") || looksAt("?<")) {
      var begin = text.indexOf('<', at) + 1;
      var end = text.indexOf('>', begin);
      if (end <= begin || !text.substring(begin, end).chars().allMatch(StepExpression::isWord)) {
        broken("a group has no proper name");
        return;
      }
      at = end + 1;
      push(true);
    } else {
      flags();
    }
  }

  /**
   * {@code (?i)} and {@code (?i:}, with the flags i, m, s and U, and {@code -} before those off.
   */
  private void flags() {
    at++;
    var off = false;
    var flags = 0;
    while (at < text.length()) {
      var c = pop();
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
    broken("(? begins nothing that RE2 knows");
  }

  private void push(boolean capture) {
    if (groups.size() >= MAX_DEPTH) {
      problem = "nests more than " + MAX_DEPTH + " groups";
      return;
    }
    captures += capture ? 1 : 0;
    groups.push(group);
    group = new Frame(capture);
  }

  private void close() {
    if (groups.isEmpty()) {
      broken("a ) closes nothing");
      return;
    }
    var size = group.size();
    group = groups.pop();
    group.add(size);
  }

  // Repeats.

  private void repeat(int times) {
    if (!group.repeatable) {
      broken("there is nothing to repeat, or a repeat of a repeat");
      return;
    }
    group.repeat(times);
    if (looksAt("?")) {
      at++;
    }
  }

  /** {@code {2}}, {@code {2,}} or {@code {2,4}}; any other brace stands for itself. */
  private void brace() {
    var start = at;
    var least = number();
    var most = least;
    if (least >= 0 && looksAt(",")) {
      at++;
      most = looksAt("}") ? least : number();
    }
    if (least < 0 || most < 0 || !looksAt("}")) {
      at = start;
      group.add(1);
      // To RE2/J a brace that stands for itself is no better than a repeat.
      group.repeatable = false;
      return;
    }
    at++;
    if (least > MAX_REPEAT || most > MAX_REPEAT || least > most) {
      broken("a repeat is above " + MAX_REPEAT + ", or ends before it begins");
      return;
    }
    repeat(Math.max(1, most));
  }

  /** The number that comes next, one above the bound for all that are; -1 where there is none. */
  private int number() {
    var start = at;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    var digits = at - start;
    if (digits == 0 || (digits > 1 && text.charAt(start) == '0')) {
      return -1;
    }
    return digits > 4 ? MAX_REPEAT + 1 : Integer.parseInt(text.substring(start, at));
  }

  // Characters.

  private void escape() {
    if (at < text.length() && "AbBzdDsSwW".indexOf(text.charAt(at)) >= 0) {
      at++;
    } else {
      var _ = character();
    }
    group.add(1);
  }

  /** The character after a backslash; RE2 supports more of them, none of which a step needs. */
  private int character() {
    if (at >= text.length()) {
      broken("it ends with a backslash");
      return -1;
    }
    var c = pop();
    if ((c < 0x80 && !isWord(c)) || c == '_') {
      return c;
    }
    return switch (c) {
      case 'a' -> 7;
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'v' -> 11;
      case 'x' -> hex();
      default -> {
        broken(isWord(c) ? "\\" + (char) c + " is not taken here" : "an escape is not known");
        yield -1;
      }
    };
  }

  /** {@code \x1b} or {@code \x{1b}}. */
  private int hex() {
    var braces = looksAt("{");
    var begin = braces ? at + 1 : at;
    var end = braces ? text.indexOf('}', begin) : Math.min(text.length(), begin + 2);
    var digits = end - begin;
    if (digits < (braces ? 1 : 2) || digits > 6 || !isHex(begin, end)) {
      broken("\\x without a number");
      return -1;
    }
    at = braces ? end + 1 : end;
    var c = Integer.parseInt(text, begin, end, 16);
    if (c > Character.MAX_CODE_POINT) {
      broken("\\x names no character");
      return -1;
    }
    beyondAscii |= c >= 0x80;
    return c;
  }

  private boolean isHex(int from, int to) {
    return text.substring(from, to).chars().allMatch(HexFormat::isHexDigit);
  }

  private static boolean isWord(int c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  private void charClass() {
    if (looksAt("^")) {
      at++;
    }
    // A ] that comes first stands for itself.
    for (var first = true; problem.isEmpty(); first = false) {
      if (at >= text.length()) {
        broken("a ] is missing");
      } else if (looksAt("]") && !first) {
        at++;
        group.add(1);
        return;
      } else {
        classItem();
      }
    }
  }

  private void classItem() {
    var nameEnd = looksAt("[:") ? text.indexOf(":]", at + 1) : -1;
    if (nameEnd >= 0) {
      // In [:] one colon would be both ends of a name.
      var name = text.substring(Math.min(at + 2, nameEnd), nameEnd);
      if (!NAMED_CLASSES.contains(name.startsWith("^") ? name.substring(1) : name)) {
        broken("there is no such class of characters");
      }
      at = nameEnd + 2;
      return;
    }
    if (looksAt("\\") && at + 1 < text.length() && "dDsSwW".indexOf(text.charAt(at + 1)) >= 0) {
      at += 2;
      return;
    }
    var low = classCharacter();
    if (!looksAt("-") || looksAt("-]") || !problem.isEmpty()) {
      return;
    }
    at++;
    if (at >= text.length()) {
      return; // The caller reports the missing bracket.
    }
    var high = classCharacter();
    if (problem.isEmpty() && high < low) {
      broken("a range of characters ends before it begins");
    }
  }

  private int classCharacter() {
    var c = pop();
    return c == '\\' ? character() : c;
  }
}
