package dev.rekindle.simulator.chaos;

import java.util.List;
import java.util.Map;

/** What seeds have come to. */
record Tally(
    long seeds,
    long recoveries,
    long faults,
    Map<FaultArea, Integer> hits,
    Map<Disturbance, Integer> dangers,
    Map<StallResult, Integer> stalls,
    Map<String, Long> writes) {
  static final Tally NONE = new Tally(0, 0, 0, Map.of(), Map.of(), Map.of(), Map.of());
  private static final String WORD = "tally ";

  static Tally of(SeedRun.Outcome outcome) {
    return new Tally(
        1,
        outcome.recoveries(),
        outcome.faults(),
        outcome.hits(),
        outcome.dangers(),
        outcome.stalls(),
        outcome.writes());
  }

  /** As {@link #parse} reads it. */
  String line() {
    return WORD
        + seeds
        + " "
        + recoveries
        + " "
        + faults
        + Counts.format(hits)
        + Counts.format(dangers)
        + Counts.format(stalls)
        + WriteCounts.format(writes);
  }

  static boolean in(String line) {
    return line.startsWith(WORD);
  }

  /** What {@link #line} made. */
  static Tally parse(String line) {
    List<String> words = List.of(line.substring(WORD.length()).split(" ", -1));
    List<String> counts = words.subList(3, words.size());
    return new Tally(
        Long.parseLong(words.get(0)),
        Long.parseLong(words.get(1)),
        Long.parseLong(words.get(2)),
        Counts.parse(FaultArea.class, counts),
        Counts.parse(Disturbance.class, counts),
        Counts.parse(StallResult.class, counts),
        WriteCounts.parse(counts));
  }

  Tally and(Tally other) {
    return new Tally(
        seeds + other.seeds,
        recoveries + other.recoveries,
        faults + other.faults,
        Counts.sum(FaultArea.class, hits, other.hits),
        Counts.sum(Disturbance.class, dangers, other.dangers),
        Counts.sum(StallResult.class, stalls, other.stalls),
        WriteCounts.sum(writes, other.writes));
  }
}
