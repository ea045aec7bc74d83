package dev.rekindle.controller.recovery;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.StallFinding;
import dev.rekindle.api.StallFinding.NamedRank;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RestartView;
import dev.rekindle.detect.stall.Culprit;
import dev.rekindle.detect.stall.EvidenceAnalysis;
import dev.rekindle.detect.stall.StallReport;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which rank a gang that stood waited for. Agents look at the ranks of a stalled gang before they
 * freeze them; what they found stands in their reports. It is saved with the recovery before
 * anything is killed.
 *
 * <p>What a program says of its ranks blames no node: no node is fenced for it.
 */
final class StallFindings {
  private static final String HOW_TO_GET =
      "no process of its ranks was found; agents find them by RANK in their environment";

  private StallFindings() {}

  /** Whether agents are to look at the ranks of the gang first. */
  static boolean wanted(RecoverySnapshot s) {
    return Transitions.cause(s).reason().equals(Cause.STALLED);
  }

  /** Whether they were asked to. */
  static boolean wanted(RestartOrderSpec order) {
    return Boolean.TRUE.equals(order.collectEvidence());
  }

  /** What the reports on an order show; empty where none was asked for. */
  static Optional<StallFinding> of(
      RestartOrderSpec order, List<PodView> pods, List<RestartView> reports) {
    if (!wanted(order)) {
      return Optional.empty();
    }
    List<RankEvidence> found =
        NodeReports.of(pods, reports).stream().flatMap(r -> r.spec().ranks().stream()).toList();
    if (found.isEmpty()) {
      return Optional.of(new StallFinding("unknown", "low", List.of(), List.of(HOW_TO_GET), 0));
    }
    StallReport report = EvidenceAnalysis.of(found, pods.size() * RankEvidence.MOST_RANKS);
    Map<Integer, PodView> byRank = byRank(found, pods);
    return Optional.of(
        new StallFinding(
            report.stallClass().word(),
            report.confidence().word(),
            report.culprits().stream().map(c -> named(c, byRank.get(c.rank()))).toList(),
            report.evidence(),
            found.size()));
  }

  private static NamedRank named(Culprit culprit, @Nullable PodView pod) {
    return pod == null
        ? new NamedRank(culprit.rank(), "", "", culprit.reason())
        : new NamedRank(culprit.rank(), pod.name(), pod.node(), culprit.reason());
  }

  private static Map<Integer, PodView> byRank(List<RankEvidence> found, List<PodView> pods) {
    Map<String, PodView> byUid = new HashMap<>();
    pods.forEach(p -> byUid.put(p.uid(), p));
    Map<Integer, PodView> byRank = new HashMap<>();
    for (RankEvidence rank : found) {
      PodView pod = byUid.get(rank.podUid());
      if (pod != null) {
        byRank.put(rank.rank(), pod);
      }
    }
    return byRank;
  }

  /** For the timeline: which ranks were waited for. */
  static String awaited(StallFinding finding) {
    String ranks =
        finding.culprits().stream()
            .map(c -> String.valueOf(c.rank()))
            .collect(Collectors.joining(", "));
    return "; the gang waited for rank " + ranks;
  }

  /** What to announce. */
  static Decision.Note note(StallFinding finding) {
    if (!finding.named()) {
      String why = finding.evidence().isEmpty() ? "" : ": " + finding.evidence().getFirst();
      return new Decision.Note(Reason.CULPRIT_UNKNOWN, "class " + finding.stallClass() + why, "");
    }
    NamedRank first = finding.culprits().getFirst();
    int more = finding.culprits().size() - 1;
    String where =
        first.pod().isEmpty() ? "" : " (pod %s, node %s)".formatted(first.pod(), first.node());
    return new Decision.Note(
        Reason.CULPRIT_NAMED,
        "rank %d%s %s%s; class %s, confidence %s"
            .formatted(
                first.rank(),
                where,
                first.reason(),
                more == 0 ? "" : "; and %d more".formatted(more),
                finding.stallClass(),
                finding.confidence()),
        first.node());
  }
}
