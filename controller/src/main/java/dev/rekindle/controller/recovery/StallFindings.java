package dev.rekindle.controller.recovery;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.StallFinding;
import dev.rekindle.api.StallFinding.NamedRank;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.detect.stall.CompilingRank;
import dev.rekindle.detect.stall.Culprit;
import dev.rekindle.detect.stall.EvidenceAnalysis;
import dev.rekindle.detect.stall.MovingJob;
import dev.rekindle.detect.stall.StallReport;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which rank a gang that stood waited for. Agents inspect the ranks of a stalled gang before they
 * freeze them; what they found stands in their reports. It is saved with the recovery before
 * anything is killed.
 *
 * <p>What a program says of its ranks blames no node: no node is fenced for it.
 */
final class StallFindings {
  private static final String HOW_TO_GET =
      "no process of its ranks was found; agents find them by RANK in their environment";

  private static final String MOVES =
      "the dumps of all ranks show that they train, although no line with a new step was seen;"
          + " check what rank 0 prints";

  /** Few enough that what the ranks show keeps most of the lines. */
  private static final int MOST_FAULTS = 3;

  private StallFindings() {}

  /** Whether agents are to inspect the ranks of the gang first. */
  static boolean wanted(RecoverySnapshot s) {
    return Transitions.cause(s).reason().equals(Cause.STALLED);
  }

  /** Whether they were asked to. */
  static boolean wanted(RestartOrderSpec order) {
    return Boolean.TRUE.equals(order.collectEvidence());
  }

  /** A finding in which no rank was found. */
  static StallFinding nothing(String why) {
    return new StallFinding("unknown", "low", List.of(), List.of(why), 0);
  }

  /** The same snapshot with that finding in its cause. */
  static RecoverySnapshot kept(RecoverySnapshot s, StallFinding finding) {
    return s.with(Transitions.status(s).withCause(Transitions.cause(s).withStall(finding)));
  }

  /** What the reports on the order show, all of which are there; empty where none was requested. */
  static Optional<StallFinding> of(RecoverySnapshot s) {
    if (s.order() == null || !wanted(s.order().spec())) {
      return Optional.empty();
    }
    List<RankEvidence> found = found(s);
    return Optional.of(found.isEmpty() ? nothing(HOW_TO_GET) : finding(s, found, true));
  }

  /**
   * What the reports show so far, where nothing is kept yet. A rank of which there is no report is
   * one of which nothing is known.
   */
  static Optional<StallFinding> soFar(RecoverySnapshot s) {
    if (s.order() == null || !wanted(s.order().spec()) || Transitions.cause(s).stall() != null) {
      return Optional.empty();
    }
    List<RankEvidence> found = found(s);
    return found.isEmpty() ? Optional.empty() : Optional.of(finding(s, found, false));
  }

  private static List<RankEvidence> found(RecoverySnapshot s) {
    return NodeReports.of(s.pods(), s.reports()).stream()
        .flatMap(r -> r.spec().ranks().stream())
        .toList();
  }

  /** Ranks that run and are in no report, as there are too many of them on their nodes. */
  private static int leftOut(RecoverySnapshot s) {
    return NodeReports.of(s.pods(), s.reports()).stream().mapToInt(r -> r.spec().leftOut()).sum();
  }

  private static StallFinding finding(
      RecoverySnapshot s, List<RankEvidence> found, boolean complete) {
    int leftOut = leftOut(s);
    int most = s.pods().size() * RankEvidence.MOST_RANKS + leftOut;
    Instant stepped =
        Objects.requireNonNullElse(
            GangProgress.of(s.pods(), s.ranks()).lastStepTime(), Instant.EPOCH);
    StallReport report;
    if (leftOut > 0) {
      report = EvidenceAnalysis.ofShown(found, most, stepped, leftOut);
    } else {
      report =
          complete
              ? EvidenceAnalysis.of(found, most, stepped)
              : EvidenceAnalysis.ofSome(found, most, stepped);
    }
    Map<Integer, PodView> byRank = byRank(found, s.pods());
    List<NamedRank> named =
        report.culprits().stream().map(c -> named(c, byRank.get(c.rank()))).toList();
    return new StallFinding(
        report.stallClass().word(),
        report.confidence().word(),
        named,
        Stream.concat(hardware(nodes(report, byRank), s.faults()), report.evidence().stream())
            .toList(),
        found.size(),
        (complete && leftOut == 0 && MovingJob.trains(found, most)) ? Boolean.TRUE : null,
        complete ? compiling(found, most) : null);
  }

  private static @Nullable Integer compiling(List<RankEvidence> found, int most) {
    OptionalInt rank = CompilingRank.of(found, most);
    return rank.isPresent() ? rank.getAsInt() : null;
  }

  /**
   * Whether the gang is left alone: its dumps show that it trains, or a rank compiles, and its
   * steps were not seen for a shorter time than the policy allows a job of which nothing is known.
   * What its owner has said holds, so a job with a stall timeout of its own is restarted.
   */
  static boolean leftAlone(
      RecoverySnapshot s, JobView job, StallFinding finding, Policy policy, Instant now) {
    Instant step = GangProgress.of(s.pods(), s.ranks()).lastStepTime();
    return finding.refuted()
        && wanted(s)
        && job.stallTimeout() == null
        && step != null
        && now.isBefore(step.plus(policy.stall()));
  }

  /** The end of a recovery whose gang is left alone. */
  static Decision cancelled(RecoverySnapshot s, StallFinding finding, Instant now) {
    Integer compiling = finding.compiling();
    String why =
        compiling == null
            ? MOVES
            : "rank %d compiles (torch.compile, Triton, or an extension), and the others wait for it"
                .formatted(compiling);
    return Transitions.end(kept(s, finding), RecoveryPhase.CANCELLED, why, now);
  }

  /** Nodes of the ranks that are named; where none is, of those of which it may be one. */
  private static Set<String> nodes(StallReport report, Map<Integer, PodView> byRank) {
    Stream<Integer> ranks =
        report.culprits().isEmpty()
            ? report.suspects().stream()
            : report.culprits().stream().map(Culprit::rank);
    return ranks
        .map(byRank::get)
        .filter(Objects::nonNull)
        .map(PodView::node)
        .collect(Collectors.toSet());
  }

  /** Faults that stand on these nodes: what the hardware itself says. */
  private static Stream<String> hardware(Set<String> nodes, List<FaultView> faults) {
    return faults.stream()
        .filter(FaultView::active)
        .filter(fault -> nodes.contains(fault.node()))
        .sorted(Comparator.comparing(FaultView::node).thenComparing(FaultView::name))
        .limit(MOST_FAULTS)
        .map(f -> "NodeFault %s of %s, node %s".formatted(f.code(), f.component(), f.node()));
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

  /** What little is known where no rank is named. */
  private static String hint(StallFinding finding) {
    if (!finding.culprits().isEmpty()) {
      NamedRank guess = finding.culprits().getFirst();
      return "; a guess: rank %d %s".formatted(guess.rank(), guess.reason());
    }
    return finding.evidence().isEmpty() ? "" : ": " + finding.evidence().getFirst();
  }

  /** What to announce. */
  static Decision.Note note(StallFinding finding) {
    if (!finding.named()) {
      return new Decision.Note(
          Reason.CULPRIT_UNKNOWN, "class %s%s".formatted(finding.stallClass(), hint(finding)), "");
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
