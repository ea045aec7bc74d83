package dev.rekindle.detect.progress;

import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Expressions for steps. */
abstract class StepExpressionFixture {
  static final String[] PIECES = {
    "a",
    "x",
    "1",
    "(",
    ")",
    "(?:",
    "(?i)",
    "(?:a?",
    "|",
    "*",
    "+",
    "?",
    "{2}",
    "{0,40}",
    "{3,}",
    "{",
    "}",
    "[",
    "]",
    "^",
    "-",
    "[a-z]",
    "[^0-9]",
    "[[:alpha:]]",
    "\\d",
    "\\W",
    "\\b",
    "$",
    ".",
    "\\x41",
    "\\.",
    "é",
    ",",
    "(\\d+)",
    "(?P<n>",
    "(?U)",
    "\\",
    "(x?",
    "){7}",
    "[^",
  };

  static String expression(Random random) {
    return IntStream.range(0, 1 + random.nextInt(12))
        .mapToObj(i -> PIECES[random.nextInt(PIECES.length)])
        .collect(Collectors.joining());
  }
}
