package dev.rekindle.detect.rules;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * One code within one burst.
 *
 * @param name {@code xid 13}
 * @param first its first line
 * @param last its newest
 * @param units the units it named, at most {@link #MOST}
 * @param victims pods or processes it hit, at most {@link #MOST}; a pod begins with {@code pod}
 */
public record Seen(
    String name, Instant first, Instant last, List<String> units, List<String> victims) {
  /** More units or victims than any threshold asks for. */
  static final int MOST = 8;

  /** Immutable copies. */
  public Seen {
    units = List.copyOf(units);
    victims = List.copyOf(victims);
  }

  static Seen of(String name, Instant time, String unit, String victim) {
    return new Seen(name, time, time, List.of(), List.of()).again(time, unit, victim);
  }

  Seen again(Instant time, String unit, String victim) {
    return new Seen(name, first, time, with(units, unit), with(victims, victim));
  }

  private static List<String> with(List<String> some, String one) {
    if (one.isEmpty() || some.contains(one) || some.size() >= MOST) {
      return some;
    }
    List<String> more = new ArrayList<>(some);
    more.add(one);
    return more;
  }

  /** The only unit it named; empty where it named none, or several. */
  String onlyUnit() {
    return units.size() == 1 ? units.getFirst() : "";
  }
}
