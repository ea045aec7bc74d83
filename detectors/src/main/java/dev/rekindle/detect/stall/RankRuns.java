package dev.rekindle.detect.stall;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Lists of ranks in a short form: runs of equal steps in their order, {@code 0-7}, {@code
 * 0-56:8,3}. The ranks of a job of 10,000 are one run, those of a group of one stage are another.
 */
final class RankRuns {
  private static final Pattern RUN = Pattern.compile("(\\d{1,7})(?:-(\\d{1,7})(?::(\\d{1,7}))?)?");

  private RankRuns() {}

  /** The short form. */
  static String write(List<Integer> ranks) {
    var text = new StringBuilder();
    int at = 0;
    while (at < ranks.size()) {
      int first = ranks.get(at);
      int step = at + 1 < ranks.size() ? ranks.get(at + 1) - first : 0;
      int last = at;
      if (step > 0) {
        while (last + 1 < ranks.size() && ranks.get(last + 1) - ranks.get(last) == step) {
          last++;
        }
      }
      if (last == at + 1 && step != 1) {
        last = at;
      }
      text.append(text.isEmpty() ? "" : ",").append(first);
      if (last > at) {
        text.append('-').append(ranks.get(last)).append(step == 1 ? "" : ":" + step);
      }
      at = last + 1;
    }
    return text.toString();
  }

  /** The ranks of a short form; none where it is no such form, or has more than so many. */
  static List<Integer> read(String text, int most) {
    List<Integer> ranks = new ArrayList<>();
    for (var run : text.split(",", -1)) {
      var parts = RUN.matcher(run);
      if (!parts.matches()) {
        return List.of();
      }
      int first = Integer.parseInt(parts.group(1));
      int last = parts.group(2) == null ? first : Integer.parseInt(parts.group(2));
      int step = parts.group(3) == null ? 1 : Integer.parseInt(parts.group(3));
      if (step == 0 || last < first || ranks.size() + (last - first) / step >= most) {
        return List.of();
      }
      for (int rank = first; rank <= last; rank += step) {
        ranks.add(rank);
      }
    }
    return ranks;
  }
}
