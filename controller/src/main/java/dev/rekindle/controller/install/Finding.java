package dev.rekindle.controller.install;

import java.util.List;
import java.util.stream.Collectors;

/**
 * One thing that was checked.
 *
 * @param name what
 * @param ok whether it is as it must be
 * @param detail what was found
 */
public record Finding(String name, boolean ok, String detail) {
  static Finding ok(String name, String detail) {
    return new Finding(name, true, detail);
  }

  static Finding wrong(String name, String detail) {
    return new Finding(name, false, detail);
  }

  /** One line for each. */
  public static String text(List<Finding> findings) {
    return findings.stream()
        .map(f -> "%-8s %-8s %s%n".formatted(f.ok() ? "ok" : "FAILED", f.name(), f.detail()))
        .collect(Collectors.joining());
  }
}
