package dev.rekindle.detect;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The namespaces whose jobs are watched.
 *
 * @param names each once, in order; none: all namespaces
 */
public record WatchedNamespaces(List<String> names) {
  /** All namespaces. */
  public static final WatchedNamespaces ALL = new WatchedNamespaces(List.of());

  /** Names with commas between them; not set or empty: all namespaces. */
  public static final String VARIABLE = "REKINDLE_WATCH_NAMESPACES";

  /** Each costs an agent two watches, and there is an agent on every node. */
  private static final int MOST = 20;

  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

  public WatchedNamespaces {
    names = List.copyOf(names);
  }

  /**
   * Reads {@link #VARIABLE}.
   *
   * @throws IllegalArgumentException naming the variable and what is wrong with it
   */
  public static WatchedNamespaces of(Map<String, String> environment) {
    try {
      return parse(environment.getOrDefault(VARIABLE, ""));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(VARIABLE + ": " + e.getMessage(), e);
    }
  }

  /**
   * Reads names with commas between them.
   *
   * @throws IllegalArgumentException where one is no name of a namespace, or there are more than 20
   */
  public static WatchedNamespaces parse(String text) {
    if (text.isBlank()) {
      return ALL;
    }
    var names = Stream.of(text.split(",", -1)).map(String::strip).distinct().sorted().toList();
    names.stream()
        .filter(name -> !NAME.matcher(name).matches())
        .findFirst()
        .ifPresent(
            name -> {
              throw new IllegalArgumentException("'" + name + "' is no name of a namespace");
            });
    if (names.size() > MOST) {
      throw new IllegalArgumentException("more than " + MOST + " namespaces");
    }
    return new WatchedNamespaces(names);
  }

  /** Whether jobs of that namespace are watched. */
  public boolean include(String namespace) {
    return names.isEmpty() || names.contains(namespace);
  }

  /** Where to watch: each of the names, or the empty text for all namespaces at once. */
  public List<String> places() {
    return names.isEmpty() ? List.of("") : names;
  }
}
