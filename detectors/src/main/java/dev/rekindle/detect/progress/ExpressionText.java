package dev.rekindle.detect.progress;

import java.util.Optional;

/** The text of an expression, read from its beginning to its end, and what is wrong with it. */
final class ExpressionText {
  private final String text;
  private int at;
  private boolean beyondAscii;
  private String problem = "";

  ExpressionText(String text) {
    this.text = text;
  }

  /** Why the expression is not taken; empty where nothing was found yet. */
  String problem() {
    return problem;
  }

  boolean isBroken() {
    return !problem.isEmpty();
  }

  void reject(String why) {
    problem = why;
  }

  void broken(String why) {
    problem = "is no RE2 expression: " + why;
  }

  /** Whether it names a character beyond ASCII, so far. */
  boolean isBeyondAscii() {
    return beyondAscii;
  }

  /** An escape names this character. */
  void names(int c) {
    beyondAscii |= c >= 0x80;
  }

  boolean isAtEnd() {
    return at >= text.length();
  }

  /** Takes the next character. */
  int pop() {
    var c = text.codePointAt(at);
    at += Character.charCount(c);
    names(c);
    return c;
  }

  /** Where the next character is, for {@link #goBack}. */
  int at() {
    return at;
  }

  void goBack(int index) {
    at = index;
  }

  void skip(int chars) {
    at += chars;
  }

  /** Whether this comes next. */
  boolean looksAt(String next) {
    return text.startsWith(next, at);
  }

  /** Whether there is one of these characters that far ahead. */
  boolean isOneOf(int ahead, String characters) {
    return at + ahead < text.length() && characters.indexOf(text.charAt(at + ahead)) >= 0;
  }

  /** As many of the next characters as there are, up to that number. */
  String ahead(int most) {
    return text.substring(at, Math.min(text.length(), at + most));
  }

  /** What is that far ahead, up to an end mark; empty where there is no such mark. */
  Optional<String> between(int ahead, String end) {
    var begin = at + ahead;
    var last = text.indexOf(end, begin);
    return last < 0 ? Optional.empty() : Optional.of(text.substring(begin, last));
  }

  /** Whether it is a letter, a digit or an underscore of ASCII. */
  static boolean isWord(int c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
}
