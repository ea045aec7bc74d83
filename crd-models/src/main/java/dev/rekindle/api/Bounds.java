package dev.rekindle.api;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The limits of the schema, and the cuts that keep a value inside them: a line of a kernel log or a
 * long timeline must never make the API server refuse the object that holds it. Absence becomes the
 * empty value.
 */
final class Bounds {
  /** Longest name of a Kubernetes object. */
  static final int NAME = 253;

  /** Longest word of a vocabulary, UID or boot id. */
  static final int WORD = 128;

  /** Longest line of evidence or sentence for people. */
  static final int LINE = 1024;

  /** Longest file path, PATH_MAX of Linux. */
  static final int PATH = 4096;

  /** Most pods or nodes named in one object. */
  static final int NAMES = 4096;

  /** Most pods of one job on one node, as reported by its agent. */
  static final int PODS = 256;

  /** Most pieces of evidence. */
  static final int LINES = 8;

  /** Most incidents of one fault. */
  static final int INCIDENTS = 12;

  /** Most parts of a component named in one incident; a GPU has 18 links. */
  static final int UNITS = 20;

  /** Longest name of a part of a component. */
  static final int UNIT = 64;

  /** Most entries of a timeline. */
  static final int TIMELINE = 64;

  /** Most conditions of one object. */
  static final int CONDITIONS = 16;

  /** Most entries of a scorecard. */
  static final int ENTRIES = 32;

  /** Longest sentence where many are kept. */
  static final int SENTENCE = 300;

  /** Key of a label: a prefix and a name. */
  static final int LABEL = 317;

  /** The longest time in seconds that is kept: some 3,000 years. */
  static final double SECONDS = 1e11;

  /** Seconds of a day. */
  static final int DAY = 86_400;

  /**
   * Most bytes of all names of one list: five such lists, the evidence and the timeline stay well
   * below what etcd takes for one object (1.5 MiB).
   */
  static final int NAMES_BYTES = 64 * 1024;

  private Bounds() {}

  /** The text, cut to so many UTF-16 units, never within a surrogate pair. */
  static String text(@Nullable String text, int most) {
    if (text == null) {
      return "";
    }
    if (text.length() <= most) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most;
    return text.substring(0, end);
  }

  static String name(@Nullable String name) {
    return text(name, NAME);
  }

  static String word(@Nullable String word) {
    return text(word, WORD);
  }

  static String line(@Nullable String line) {
    return text(line, LINE);
  }

  /** An immutable copy of the first so many elements, without nulls. */
  static <T> List<T> list(@Nullable List<T> list, int most) {
    return list == null ? List.of() : list.stream().filter(Objects::nonNull).limit(most).toList();
  }

  /** An immutable copy of the last so many elements, without nulls. */
  static <T> List<T> newest(@Nullable List<T> list, int most) {
    List<T> all = list(list, Integer.MAX_VALUE);
    return all.size() <= most ? all : List.copyOf(all.subList(all.size() - most, all.size()));
  }

  static List<String> names(@Nullable List<String> names) {
    List<String> kept = new ArrayList<>();
    int bytes = 0;
    for (String name : list(names, NAMES)) {
      String cut = name(name);
      bytes += cut.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > NAMES_BYTES) {
        break;
      }
      kept.add(cut);
    }
    return List.copyOf(kept);
  }

  /** Names under a few keys. */
  static Map<String, List<String>> namesByKey(@Nullable Map<String, List<String>> map) {
    Map<String, List<String>> kept = new LinkedHashMap<>();
    map(map)
        .forEach(
            (key, names) -> {
              if (kept.size() < CONDITIONS) {
                kept.put(key, names(names));
              }
            });
    return kept;
  }

  /** Conditions whose messages the API server takes, as long as a line. */
  static List<Condition> conditions(@Nullable List<Condition> conditions) {
    return list(conditions, CONDITIONS).stream().map(Bounds::condition).toList();
  }

  private static Condition condition(Condition condition) {
    String message = condition.getMessage();
    return message == null || message.length() <= LINE
        ? condition
        : new ConditionBuilder(condition).withMessage(line(message)).build();
  }

  /** Keeps how it began and what is newest; what falls out is the middle. */
  static <T> List<T> timeline(@Nullable List<T> entries) {
    List<T> all = list(entries, Integer.MAX_VALUE);
    if (all.size() <= TIMELINE) {
      return all;
    }
    List<T> kept = new ArrayList<>(TIMELINE);
    kept.add(all.getFirst());
    kept.addAll(all.subList(all.size() - TIMELINE + 1, all.size()));
    return List.copyOf(kept);
  }

  static <K, V> Map<K, V> map(@Nullable Map<K, V> map) {
    return map == null ? Map.of() : new LinkedHashMap<>(map);
  }

  /** A length of time in seconds: not negative, and not longer than it is worth measuring. */
  static double seconds(double seconds) {
    return seconds > 0 ? Math.min(seconds, SECONDS) : 0;
  }

  /** The same of one that may be absent. */
  static @Nullable Double seconds(@Nullable Double seconds) {
    return seconds == null || Double.isNaN(seconds)
        ? null
        : Double.valueOf(seconds(seconds.doubleValue()));
  }

  static Instant time(@Nullable Instant time) {
    return time == null ? Instant.EPOCH : time;
  }
}
