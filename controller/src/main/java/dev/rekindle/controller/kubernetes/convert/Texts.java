package dev.rekindle.controller.kubernetes.convert;

import org.jspecify.annotations.Nullable;

/**
 * Texts of a tenant that are kept as long as their object is there. What is longer than anything
 * that is meant is cut, and is then still longer than that.
 */
final class Texts {
  /** The longest key of a label is 317 characters, the longest name of an object 253. */
  static final int LONGEST = 320;

  private Texts() {}

  /** The text, cut; empty for none. */
  static String cut(@Nullable String text) {
    return text == null ? "" : text.length() <= LONGEST ? text : text.substring(0, LONGEST);
  }
}
