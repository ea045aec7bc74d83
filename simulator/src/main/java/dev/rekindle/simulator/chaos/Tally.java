package dev.rekindle.simulator.chaos;

import java.util.List;
import java.util.Map;

/** What seeds have come to. */
record Tally(long seeds, long recoveries, long faults, Map<Danger, Integer> dangers) {
  static final Tally NONE = new Tally(0, 0, 0, Map.of());
  private static final String WORD = "tally ";

  static Tally of(SeedRun.Outcome outcome) {
    return new Tally(1, outcome.recoveries(), outcome.faults(), outcome.dangers());
  }

  /** As {@link #parse} reads it. */
  String line() {
    return (WORD + seeds + " " + recoveries + " " + faults + " " + Mischief.format(dangers))
        .strip();
  }

  static boolean in(String line) {
    return line.startsWith(WORD);
  }

  /** What {@link #line} made. */
  static Tally parse(String line) {
    String[] numbers = line.substring(WORD.length()).split(" ", -1);
    return new Tally(
        Long.parseLong(numbers[0]),
        Long.parseLong(numbers[1]),
        Long.parseLong(numbers[2]),
        Mischief.parse(List.of(numbers).subList(3, numbers.length)));
  }

  Tally and(Tally other) {
    return new Tally(
        seeds + other.seeds,
        recoveries + other.recoveries,
        faults + other.faults,
        Mischief.sum(dangers, other.dangers));
  }
}
