package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.FormerRun;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RankReportStatus.LoadError;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.api.RepairAction;
import dev.rekindle.controller.model.GangSaves;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Builds the cause of a recovery, within the limits of the object. */
final class Causes {
  private static final int MAX_EVIDENCE = 8;

  private Causes() {}

  static Verdict recover(Cause cause) {
    return new Verdict.Recover(cause, JobView.Mode.AUTO);
  }

  static Cause of(
      CauseReason reason,
      String message,
      List<Evidence> evidence,
      List<String> faultyNodes,
      List<String> silentNodes,
      List<String> suspects,
      JobSnapshot s) {
    return ofFault(reason.word(), message, evidence, faultyNodes, silentNodes, suspects, s);
  }

  /** Of a fault of a node; its code is the reason. */
  static Cause ofFault(
      String code,
      String message,
      List<Evidence> evidence,
      List<String> faultyNodes,
      List<String> silentNodes,
      List<String> suspects,
      JobSnapshot s) {
    GangProgress progress = GangProgress.of(s.pods(), s.ranks());
    return new Cause(
            code,
            message,
            evidence.stream().limit(MAX_EVIDENCE).toList(),
            faultyNodes,
            silentNodes,
            suspects,
            progress.lastStep())
        .with(
            b ->
                b.loss(progress.loss())
                    .lastStepTime(progress.lastStepTime())
                    .before(before(s, progress)));
  }

  /** The gang as it is now: when it trains again, its pods and their reports are gone. */
  private static @Nullable FormerRun before(JobSnapshot s, GangProgress progress) {
    return s.pods().isEmpty()
        ? null
        : new FormerRun(
            s.pods().stream().map(PodView::created).min(Instant::compareTo).orElse(null),
            progress.reports().stream()
                .map(RankView::firstStepTime)
                .filter(Objects::nonNull)
                .min(Instant::compareTo)
                .orElse(null),
            GangSaves.of(progress.reports()).orElse(null),
            sawSteps(progress) ? Boolean.TRUE : null,
            FormerNetworks.of(s.pods(), progress),
            progress.lossesDiffer() ? Boolean.TRUE : null);
  }

  /** How steps follow each other is known over all runs of a container. */
  private static boolean sawSteps(GangProgress progress) {
    return progress.seen()
        || progress.reports().stream()
            .anyMatch(r -> r.pace() != null && Objects.requireNonNull(r.pace()).intervals() > 0);
  }

  static Cause ofFailure(CauseReason reason, String jobMessage, List<PodView> pods, JobSnapshot s) {
    List<PodView> byTime =
        pods.stream()
            .sorted(
                Comparator.comparing(
                        (PodView p) -> Objects.requireNonNullElse(p.lastExit(), p.created()))
                    .thenComparing(PodView::name))
            .toList();
    List<Evidence> ends = byTime.stream().map(Causes::end).toList();
    String first = ends.isEmpty() ? jobMessage : "first to fail: " + sentence(ends.getFirst());
    // The watch of pods may be behind that of jobs: then the operator's word is all there is.
    Stream<Evidence> ofJob =
        jobMessage.isEmpty() ? Stream.of() : Stream.of(new Evidence("", "", jobMessage));
    List<Evidence> evidence = Stream.concat(ends.stream(), ofJob).toList();
    Optional<LoadError> notLoaded = LoadErrors.of(s, pods);
    String message =
        ownMistake(s)
            .or(() -> notLoaded.map(LoadErrors::sentence))
            .map(own -> own + "; " + first)
            .orElse(first);
    CauseReason word =
        byTime.stream()
            .findFirst()
            .flatMap(Causes::restartRequest)
            .or(() -> notLoaded.map(_ -> CauseReason.CHECKPOINT_NOT_LOADED))
            .orElse(reason);
    return of(word, message, evidence, List.of(), List.of(), names(byTime.stream()), s);
  }

  /** What the first process to end has requested by its exit code. */
  private static Optional<CauseReason> restartRequest(PodView pod) {
    PodView.Failure failure = pod.failure();
    if (failure == null) {
      return Optional.empty();
    }
    return failure.hasExitCode(PodView.Failure.RERUN)
        ? Optional.of(CauseReason.RERUN_ASKED)
        : failure.hasExitCode(PodView.Failure.RESULT_REJECTED)
            ? Optional.of(CauseReason.RESULT_REJECTED)
            : Optional.empty();
  }

  /**
   * What the job's program seems to have done wrong: one code that programs can cause, on different
   * devices, with this job on each.
   */
  private static Optional<String> ownMistake(JobSnapshot s) {
    Map<String, Set<String>> devices = new TreeMap<>();
    s.faults().stream()
        .filter(f -> f.fence() == FenceGuidance.NEVER || FaultAssessor.byPrograms(f))
        .filter(f -> RepairAction.RESTART_JOB.is(f.action()))
        .filter(f -> f.incidents().stream().anyMatch(i -> i.jobUid().equals(s.job().uid())))
        .forEach(
            f ->
                devices
                    .computeIfAbsent(f.code(), _ -> new TreeSet<>())
                    .add(f.node() + " " + f.component()));
    return devices.entrySet().stream()
        .filter(e -> e.getValue().size() > 1)
        .findFirst()
        .map(
            e ->
                "%s on %d devices of this job: its program's own mistake, no node is blamed"
                    .formatted(e.getKey(), e.getValue().size()));
  }

  private static Evidence end(PodView pod) {
    PodView.Failure failure = pod.failure();
    String what = failure == null ? "a container ended" : failure.message();
    return new Evidence(pod.node(), pod.name(), what);
  }

  /** Evidence of a pod, for people. */
  static String sentence(Evidence evidence) {
    return "pod %s on node %s: %s".formatted(evidence.pod(), evidence.node(), evidence.text());
  }

  static List<String> names(Stream<PodView> pods) {
    return pods.map(PodView::name).distinct().limit(64).toList();
  }

  static String bounded(String text) {
    return text.length() <= 1024 ? text : text.substring(0, 1021) + "...";
  }
}
