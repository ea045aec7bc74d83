package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.api.StallFinding;
import dev.rekindle.api.StallFinding.NamedRank;
import dev.rekindle.controller.diagnosis.Restarts;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.detect.stall.StallClass;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The nodes of ranks that a stall has named, those that a job failed on first that fails again and
 * again, and those without RDMA of a job that requires it. A new gang avoids them where there is
 * other room: a preference of its affinity, no fence, as the program itself has written what names
 * them.
 *
 * <p>The first stall that names a node is restarted in place, and every pod stays where it is. One
 * that names it again is a rebuild, so that the scheduler can take another node: where the stall
 * stays with the rank it is the program, where it ends it was the node.
 */
final class Avoidance {
  /** What may be due to the node: neither the program's calls nor what is between nodes. */
  private static final Set<String> OF_A_NODE =
      Set.of(StallClass.HOST.word(), StallClass.DEVICE_OR_LINK.word());

  /** After so long a node without RDMA is no longer avoided. */
  private static final Duration PORT_MENDED = Duration.ofDays(1);

  private Avoidance() {}

  /** Whether a rank was named, and what holds it up may be its node. */
  static boolean blames(StallFinding stall) {
    return stall.named() && OF_A_NODE.contains(stall.stallClass());
  }

  /** The nodes that the finding names; empty where they have nothing to do with it. */
  static List<String> named(StallFinding stall) {
    return blames(stall)
        ? stall.culprits().stream()
            .map(NamedRank::node)
            .filter(node -> !node.isEmpty())
            .distinct()
            .sorted()
            .toList()
        : List.of();
  }

  /** The nodes to avoid, by this recovery or by one of the same job not long ago; sorted. */
  static List<String> of(RecoverySnapshot s) {
    return Stream.concat(current(s).stream(), withoutRdmaBefore(s)).distinct().sorted().toList();
  }

  /** The same without nodes whose RDMA may have been repaired since; sorted. */
  static List<String> current(RecoverySnapshot s) {
    Stream<String> stalls =
        Stream.concat(Stream.ofNullable(cause(s).stall()), s.stallsBefore().stream())
            .flatMap(stall -> named(stall).stream());
    return Stream.of(stalls, CrashLoop.of(s).nodes().stream(), rejected(s), withoutRdma(status(s)))
        .flatMap(Function.identity())
        .distinct()
        .sorted()
        .toList();
  }

  /** The nodes on which a gang of the recovery was without RDMA, though its job requires it. */
  private static Stream<String> withoutRdma(RecoveryStatus status) {
    return status.resumes().stream().flatMap(attempt -> attempt.withoutRdma().stream());
  }

  /**
   * Those of earlier recoveries, so that the next gang does not find the same dead port again. A
   * preference is all that it costs where the port was repaired meanwhile.
   */
  private static Stream<String> withoutRdmaBefore(RecoverySnapshot s) {
    JobView job = s.job();
    Instant phaseSince = status(s).phaseSince();
    if (job == null || !job.requiresRdma() || phaseSince == null) {
      return Stream.of();
    }
    Instant since = phaseSince.minus(PORT_MENDED);
    return s.history().stream()
        .filter(past -> Restarts.of(past).stream().anyMatch(at -> !at.isBefore(since)))
        .flatMap(Avoidance::withoutRdma);
  }

  /** The node whose result was computed again and differed. */
  private static Stream<String> rejected(RecoverySnapshot s) {
    return cause(s).reason().equals(Cause.RESULT_REJECTED)
        ? cause(s).evidence().stream().map(Evidence::node).filter(n -> !n.isEmpty()).limit(1)
        : Stream.of();
  }

  /**
   * Why the gang is to go elsewhere, which no restart in place does: it has failed from its
   * checkpoint before, and first on a node that it can do without.
   */
  static Optional<String> afterFailures(RecoverySnapshot s, JobView job) {
    List<String> off =
        Stream.concat(CrashLoop.of(s).nodes().stream(), rejected(s)).distinct().sorted().toList();
    return off.isEmpty() || !roomWithout(off, s, job)
        ? Optional.empty()
        : Optional.of("it failed before, first on node " + off.getFirst());
  }

  /**
   * Why a stall is no case for a restart in place, which keeps pods where they are; empty where it
   * is: where no node is named again, or the gang would not fit on other nodes.
   */
  static Optional<String> insteadOfInPlace(RecoverySnapshot s, JobView job) {
    StallFinding stall = cause(s).stall();
    if (stall == null) {
      return Optional.empty();
    }
    TreeSet<String> again = new TreeSet<>(named(stall));
    again.retainAll(s.stallsBefore().stream().flatMap(before -> named(before).stream()).toList());
    return again.isEmpty() || !roomWithout(of(s), s, job)
        ? Optional.empty()
        : Optional.of("another stall waited for a rank on node " + again.getFirst());
  }

  private static boolean roomWithout(Collection<String> avoided, RecoverySnapshot s, JobView job) {
    return missingWithout(avoided, s, job).isEmpty();
  }

  /** What the gang lacks of room on other nodes than these; empty where it may fit. */
  static Optional<String> missingWithout(
      Collection<String> avoided, RecoverySnapshot s, JobView job) {
    List<String> off =
        Stream.concat(avoided.stream(), GangRoom.closedNodes(s).stream()).distinct().toList();
    return GangRoom.missing(s, job, off);
  }
}
