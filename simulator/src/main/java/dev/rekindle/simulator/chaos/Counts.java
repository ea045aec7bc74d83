package dev.rekindle.simulator.chaos;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** How often things of one kind happened, as one process reports them to another. */
final class Counts {
  private Counts() {}

  /** The counts of two runs together. */
  static <E extends Enum<E>> Map<E, Integer> sum(
      Class<E> kind, Map<E, Integer> one, Map<E, Integer> other) {
    Map<E, Integer> sum = new EnumMap<>(kind);
    sum.putAll(one);
    other.forEach((what, count) -> sum.merge(what, count, Integer::sum));
    return sum;
  }

  /** All of them. */
  static int total(Map<?, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** As {@link #parse} reads them: words of one kind, each behind a blank. */
  static <E extends Enum<E>> String format(Map<E, Integer> counts) {
    StringBuilder text = new StringBuilder();
    counts.forEach(
        (what, count) ->
            text.append(' ')
                .append(what.getDeclaringClass().getSimpleName())
                .append('.')
                .append(what.name())
                .append('=')
                .append(count));
    return text.toString();
  }

  /** Those of one kind among the words that {@link #format} made of several. */
  static <E extends Enum<E>> Map<E, Integer> parse(Class<E> kind, List<String> words) {
    Map<E, Integer> counts = new EnumMap<>(kind);
    String prefix = kind.getSimpleName() + '.';
    for (String word : words) {
      int at = word.indexOf('=');
      if (word.startsWith(prefix) && at > 0) {
        counts.put(
            Enum.valueOf(kind, word.substring(prefix.length(), at)),
            Integer.parseInt(word.substring(at + 1)));
      }
    }
    return counts;
  }
}
