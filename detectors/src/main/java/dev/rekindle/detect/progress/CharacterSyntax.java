package dev.rekindle.detect.progress;

import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;

/** Checks what stands for one character of a line: escapes, and classes in brackets. */
final class CharacterSyntax {
  private static final Set<String> NAMED_CLASSES =
      Set.of(
          "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
          "space", "upper", "word", "xdigit");

  private final ExpressionText text;

  CharacterSyntax(ExpressionText text) {
    this.text = text;
  }

  /** What follows a backslash: a class, an assertion or one character. */
  void escape() {
    if (text.isOneOf(0, "AbBzdDsSwW")) {
      text.skip(1);
    } else {
      var _ = character();
    }
  }

  /** The character after a backslash; RE2 supports more of them, none of which a step needs. */
  private int character() {
    if (text.isAtEnd()) {
      text.broken("it ends with a backslash");
      return -1;
    }
    var c = text.pop();
    if ((c < 0x80 && !ExpressionText.isWord(c)) || c == '_') {
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
        text.broken(
            ExpressionText.isWord(c)
                ? "\\" + (char) c + " is not taken here"
                : "an escape is not known");
        yield -1;
      }
    };
  }

  /** {@code \x1b} or {@code \x{1b}}. */
  private int hex() {
    var braces = text.looksAt("{");
    var digits = braces ? text.between(1, "}").orElse("") : text.ahead(2);
    if (digits.length() < (braces ? 1 : 2)
        || digits.length() > 6
        || !digits.chars().allMatch(HexFormat::isHexDigit)) {
      text.broken("\\x without a number");
      return -1;
    }
    text.skip(digits.length() + (braces ? 2 : 0));
    var c = Integer.parseInt(digits, 16);
    if (c > Character.MAX_CODE_POINT) {
      text.broken("\\x names no character");
      return -1;
    }
    text.names(c);
    return c;
  }

  /** What follows an opening bracket, up to the one that closes it. */
  void charClass() {
    if (text.looksAt("^")) {
      text.skip(1);
    }
    // A ] that comes first stands for itself.
    for (var first = true; !text.isBroken(); first = false) {
      if (text.isAtEnd()) {
        text.broken("a ] is missing");
      } else if (text.looksAt("]") && !first) {
        text.skip(1);
        return;
      } else {
        classItem();
      }
    }
  }

  private void classItem() {
    var name = text.looksAt("[:") ? text.between(1, ":]") : Optional.<String>empty();
    if (name.isPresent()) {
      // In [:] one colon would be both ends of a name.
      var word = name.get().isEmpty() ? "" : name.get().substring(1);
      if (!NAMED_CLASSES.contains(word.startsWith("^") ? word.substring(1) : word)) {
        text.broken("there is no such class of characters");
      }
      text.skip(name.get().length() + 3);
      return;
    }
    if (text.looksAt("\\") && text.isOneOf(1, "dDsSwW")) {
      text.skip(2);
      return;
    }
    var low = classCharacter();
    if (!text.looksAt("-") || text.looksAt("-]") || text.isBroken()) {
      return;
    }
    text.skip(1);
    if (text.isAtEnd()) {
      return; // The caller reports the missing bracket.
    }
    var high = classCharacter();
    if (!text.isBroken() && high < low) {
      text.broken("a range of characters ends before it begins");
    }
  }

  private int classCharacter() {
    var c = text.pop();
    return c == '\\' ? character() : c;
  }
}
