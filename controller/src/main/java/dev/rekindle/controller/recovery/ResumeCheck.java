package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.FormerRun;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RankReportStatus.LoadError;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.checkpoint.CheckpointChoice;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.network.RdmaProof.Proof;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What the running attempt has made of its checkpoint, and how that is written down. */
final class ResumeCheck {
  /** A report of a first step may be behind the end of the process that made it. */
  static final Duration LAGS = Duration.ofSeconds(10);

  private ResumeCheck() {}

  /**
   * Why an attempt is over.
   *
   * @param result what came of it
   * @param why one sentence
   * @param node where it showed first; empty where no node has to do with it
   * @param network what shows that its ranks are not on RDMA, for which alone it is over; else
   *     absent
   */
  record Failure(ResumeResult result, String why, String node, @Nullable Proof network) {
    Failure(ResumeResult result, String why, String node) {
      this(result, why, node, null);
    }

    /** One whose ranks train, and not on RDMA. */
    static Failure withoutRdma(Proof network) {
      return new Failure(
          ResumeResult.INTERRUPTED,
          network.detail(),
          network.nodes().stream().findFirst().orElse(""),
          network);
    }

    /** The nodes that were without RDMA. */
    List<String> nodesWithoutRdma() {
      return network == null ? List.of() : network.nodes();
    }

    /** One that says nothing of the checkpoint. */
    static Failure interrupted(String why) {
      return new Failure(ResumeResult.INTERRUPTED, why, "");
    }

    static Failure of(ResumeProof proof) {
      return new Failure(proof.result(), proof.detail(), "");
    }
  }

  /** What the reports on the gang show; empty while nothing can be said. */
  static Optional<ResumeProof> of(RecoverySnapshot s, List<PodView> gang, List<RankView> ranks) {
    boolean allHeard = ranks.stream().filter(r -> r.loss() != null).count() >= gang.size();
    return ResumeProof.of(
        ResumeProof.Pin.of(InPlace.plan(s)),
        ranks,
        cause(s).loss(),
        lossesDiffered(s) && !allHeard,
        loadErrors(s, gang));
  }

  private static boolean lossesDiffered(RecoverySnapshot s) {
    FormerRun before = cause(s).before();
    return before != null && Boolean.TRUE.equals(before.lossesDiffer());
  }

  /**
   * The same recovery; where a gang is given up while it is restarted in place, and its new
   * containers have shown already that they did not resume, with that written down as an attempt.
   */
  static RecoverySnapshot restartGivenUp(RecoverySnapshot s, Instant now) {
    Generation generation =
        status(s).phase() == RecoveryPhase.RESUMING ? InPlace.generation(s).orElse(null) : null;
    if (generation == null) {
      return s;
    }
    List<PodView> gang = s.pods().stream().filter(generation::has).toList();
    Set<String> uids = gang.stream().map(PodView::uid).collect(Collectors.toSet());
    List<RankView> ranks =
        s.ranks().stream().filter(r -> uids.contains(r.podUid()) && generation.has(r)).toList();
    return of(s, gang, ranks)
        .filter(proof -> proof.result().failed())
        .map(proof -> withAttempt(s, GangProgress.of(gang, ranks), Failure.of(proof), now))
        .map(s::with)
        .orElse(s);
  }

  /** Lines of containers of this attempt that have ended after them, and had made no step. */
  private static List<LoadError> loadErrors(RecoverySnapshot s, List<PodView> gang) {
    Optional<Generation> generation = InPlace.generation(s);
    Map<String, PodView> pods =
        gang.stream().collect(Collectors.toMap(PodView::uid, Function.identity(), (a, _) -> a));
    List<LoadError> found = new ArrayList<>();
    for (RankView rank : s.ranks()) {
      LoadError line = rank.loadError();
      PodView pod = pods.get(rank.podUid());
      if (line != null
          && pod != null
          && rank.firstStep() == null
          && hasCheckpoint(s, pod)
          && (!InPlace.chosen(s) || generation.map(g -> g.has(rank, line.run())).orElse(false))
          && hasEndedSince(pod, line.time())) {
        found.add(line);
      }
    }
    return found;
  }

  /** A pod that has landed on a node without the checkpoint says nothing of it. */
  private static boolean hasCheckpoint(RecoverySnapshot s, PodView pod) {
    PinnedCheckpoint pin = InPlace.plan(s).checkpoint();
    return pin == null
        || CheckpointChoice.isUnknown(pin)
        || pin.nodes().isEmpty()
        || pin.nodes().contains(pod.node());
  }

  /** By the clock of one node; Kubernetes keeps the end of a container in whole seconds. */
  private static boolean hasEndedSince(PodView pod, Instant line) {
    Instant exit = pod.lastExit();
    return !pod.live() || (exit != null && !exit.plusSeconds(1).isBefore(line));
  }

  /** Whether the script prints steps, as was seen before the failure or by another recovery. */
  static boolean prints(RecoverySnapshot s) {
    FormerRun before = cause(s).before();
    return s.printed()
        || cause(s).lastStep() != null
        || (before != null && Boolean.TRUE.equals(before.sawSteps()));
  }

  /**
   * Whether something of the gang has ended with success and without a step, although the script
   * prints steps: it found nothing to resume from, or nothing to do.
   */
  static Optional<Failure> endedWithoutAStep(
      RecoverySnapshot s, List<PodView> gang, GangProgress progress, Instant now) {
    if (!prints(s) || progress.lastStep() != null) {
      return Optional.empty();
    }
    return gang.stream()
        .filter(p -> p.phase() == PodView.Phase.SUCCEEDED)
        .filter(p -> isOver(p.lastExit(), now))
        .findFirst()
        .map(
            p ->
                new Failure(
                    ResumeResult.NO_NEW_STEP,
                    "pod %s ended with exit code 0 before a step was made".formatted(p.name()),
                    ""));
  }

  /** Whether reports on what ended then have come by now. */
  static boolean isOver(@Nullable Instant end, Instant now) {
    return end != null && !now.isBefore(end.plus(LAGS));
  }

  /** How an attempt ended whose pods failed. */
  static Failure crashed(PodView pod, String why) {
    PodView.Failure failure = pod.failure();
    boolean asked = failure != null && failure.hasExitCode(PodView.Failure.RERUN);
    return asked
        ? Failure.interrupted(why + ", to be run again (exit code 16)")
        : new Failure(ResumeResult.CRASHED, why, pod.node());
  }

  /** The status in which the attempt is written down as one that did not resume as it was to. */
  static RecoveryStatus withAttempt(
      RecoverySnapshot s, GangProgress progress, Failure failure, Instant now) {
    RecoveryStatus status = status(s);
    ResumeAttempt attempt =
        new ResumeAttempt(
            status.attempt(),
            CrashCycles.pinned(status),
            progress.firstStep(),
            progress.lastStep(),
            failure.result(),
            failure.why(),
            failure.node(),
            failure.nodesWithoutRdma());
    List<ResumeAttempt> all = new ArrayList<>(status.resumes());
    all.add(attempt);
    return RecoveryStatusBuilder.withResume(
        status.withResumes(all), failure.result(), failure.why(), now);
  }

  /** The pod whose launcher asks never to be restarted, if there is one. */
  static Optional<PodView> forbids(List<PodView> pods, JobView job) {
    return pods.stream()
        .filter(p -> p.jobUid().equals(job.uid()) && p.failure() != null)
        .filter(p -> Objects.requireNonNull(p.failure()).hasExitCode(PodView.Failure.NEVER_RESTART))
        .findFirst();
  }
}
