package dev.rekindle.detect.stall;

import dev.rekindle.api.EvidencePart;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.ProcessState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * What did not fit into the reports of agents. A rank of which a part is missing may wait for
 * others by that part: it is not named, unless its process is stopped.
 *
 * @param ranks of which something is missing, by part
 * @param excused those that are not named for it
 */
record OmittedEvidence(
    Map<EvidencePart, NavigableSet<Integer>> ranks, NavigableSet<Integer> excused) {
  static OmittedEvidence of(Collection<RankEvidence> found) {
    Map<EvidencePart, NavigableSet<Integer>> ranks = new EnumMap<>(EvidencePart.class);
    NavigableSet<Integer> excused = new TreeSet<>();
    for (var rank : found) {
      rank.omitted().forEach(p -> ranks.computeIfAbsent(p, _ -> new TreeSet<>()).add(rank.rank()));
      if (!rank.omitted().isEmpty() && rank.process() != ProcessState.STOPPED) {
        excused.add(rank.rank());
      }
    }
    return new OmittedEvidence(ranks, excused);
  }

  /**
   * Whether lines are missing. Logs are judged by who logged what first, and who logged nothing:
   * those of some ranks say less than none.
   */
  boolean lines() {
    return ranks.containsKey(EvidencePart.LINES);
  }

  /** The report with what is missing, and without the names that this makes doubtful. */
  StallReport report(StallReport report) {
    if (ranks.isEmpty()) {
      return report;
    }
    List<String> evidence = new ArrayList<>();
    ranks.forEach(
        (part, of) ->
            evidence.add(
                "%s of %s did not fit into the reports of agents"
                    .formatted(
                        switch (part) {
                          case DUMP -> "dumps";
                          case LINES -> "lines";
                          case STACK -> "stacks";
                        },
                        StallAnalysis.ranks(of))));
    evidence.addAll(report.evidence());
    return report.culprits().stream().anyMatch(culprit -> excused.contains(culprit.rank()))
        ? new StallReport(List.of(), StallClass.UNKNOWN, Confidence.LOW, evidence)
        : new StallReport(report.culprits(), report.stallClass(), report.confidence(), evidence);
  }
}
