package dev.rekindle.controller.doctor;

import static dev.rekindle.controller.doctor.Check.missing;
import static dev.rekindle.controller.doctor.Check.ok;
import static dev.rekindle.controller.doctor.Check.unknown;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RankReportStatus.Witnesses;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.diagnosis.StallOutlook;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.recovery.RestartOutlook;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** All checks of a job. Pure: the same for the same objects at the same time. */
public final class JobChecks {
  private JobChecks() {}

  /** In the order in which they are to be repaired. */
  public static List<Check> of(ExaminedJob e, Instant now) {
    GangProgress progress = GangProgress.of(e.job().pods(), e.job().ranks());
    List<Check> checks = new ArrayList<>();
    namespace(e).ifPresent(checks::add);
    checks.add(optIn(e));
    checks.addAll(GangChecks.of(e));
    checks.add(pods(e));
    checks.addAll(NetworkChecks.of(e));
    checks.addAll(TransportChecks.of(e, progress));
    checks.add(agents(e, progress, now));
    checks.addAll(steps(e, progress));
    checks.add(threshold(e, progress, now));
    checks.add(checkpoints(e));
    Map<String, Witnesses> live = fresh(e, progress, now);
    checks.addAll(RecorderChecks.of(e, live));
    GpuUseChecks.of(e, live).ifPresent(checks::add);
    checks.add(inPlace(e, now));
    return List.copyOf(checks);
  }

  /** Empty where all namespaces are watched. */
  private static Optional<Check> namespace(ExaminedJob e) {
    var watched = e.watched();
    String own = e.job().job().key().namespace();
    if (watched.names().isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        watched.include(own)
            ? ok("namespace", own + " is one of those that Rekindle watches")
            : missing(
                "namespace",
                "Rekindle does not watch %s, only %s: nothing is done for this job"
                    .formatted(own, String.join(", ", watched.names())),
                "add it to the value watchNamespaces of the chart"));
  }

  private static Check optIn(ExaminedJob e) {
    JobView job = e.job().job();
    String hands = job.notOurs().isEmpty() ? "" : job.handsOff();
    if (!hands.isEmpty()) {
      return missing("opt-in", hands, "leave restarts to one of them");
    }
    return switch (job.optIn()) {
      case OptIn.No _ ->
          missing("opt-in", "no annotation asks for it", "set rekindle.dev/recover: \"true\"");
      case OptIn.Unusable(String reason) -> missing("opt-in", reason, "correct the annotation");
      case OptIn.UnknownPolicy(String reason) ->
          missing("opt-in", reason, "name an accepted RecoveryPolicy in rekindle.dev/policy");
      case OptIn.Yes(JobView.Mode mode) when e.policy().isEmpty() ->
          unknown(
              "opt-in",
              "opted in; RecoveryPolicies cannot be read",
              "ask for the right to list recoverypolicies.rekindle.dev");
      case OptIn.Yes(JobView.Mode mode) when !e.note().isEmpty() ->
          missing("opt-in", e.note(), "see the conditions of RecoveryPolicy default");
      case OptIn.Yes(JobView.Mode mode) ->
          ok("opt-in", "policy " + job.policy() + ", mode " + word(mode));
    };
  }

  private static String word(JobView.Mode mode) {
    return switch (mode) {
      case OBSERVE -> "observe: nothing is restarted";
      case APPROVE -> "approve: a person approves each recovery";
      case AUTO -> "auto";
    };
  }

  private static Check pods(ExaminedJob e) {
    int all = e.job().job().gangSize();
    long run = e.job().pods().stream().filter(JobChecks::runs).count();
    String detail = "%d of %d run".formatted(run, all);
    return run == all && e.job().pods().size() == all
        ? ok("pods", detail)
        : missing("pods", detail, "kubectl describe the pods that do not run");
  }

  static boolean runs(PodView pod) {
    return pod.phase() == PodView.Phase.RUNNING && !pod.terminating();
  }

  private static Check agents(ExaminedJob e, GangProgress progress, Instant now) {
    List<PodView> silent =
        sorted(e).stream()
            .filter(
                pod ->
                    progress.reports().stream()
                        .noneMatch(
                            r ->
                                r.podUid().equals(pod.uid())
                                    && GangProgress.fresh(r.observedTime(), now)))
            .toList();
    if (silent.isEmpty() && !e.job().pods().isEmpty()) {
      return ok("agents", "each pod was polled within 30 s");
    }
    return missing(
        "agents",
        silent.isEmpty()
            ? "no pod to inspect"
            : "%d pods not polled within 30 s, %s on node %s among them"
                .formatted(silent.size(), silent.getFirst().name(), silent.getFirst().node()),
        "check the rekindle agent of that node, and the clock of this machine");
  }

  /** What an agent found before it fell silent may be of another run of the container. */
  private static Map<String, Witnesses> fresh(ExaminedJob e, GangProgress progress, Instant now) {
    Map<String, Witnesses> found = new HashMap<>();
    progress.witnesses().stream()
        .filter(r -> GangProgress.fresh(r.observedTime(), now))
        .forEach(
            r -> {
              Witnesses witnesses = e.witnesses().get(r.podUid());
              if (witnesses != null) {
                found.put(r.podUid(), witnesses);
              }
            });
    return found;
  }

  private static List<PodView> sorted(ExaminedJob e) {
    return e.job().pods().stream().sorted(Comparator.comparing(PodView::name)).toList();
  }

  private static List<Check> steps(ExaminedJob e, GangProgress progress) {
    if (!progress.seen()) {
      return List.of(
          missing(
              "steps",
              "no pod has shown a step",
              "print \"REKINDLE step 12\", or set rekindle.dev/step-pattern; docs/annotations.md"));
    }
    List<Check> checks = new ArrayList<>();
    for (PodView pod : sorted(e)) {
      progress.witnesses().stream()
          .filter(r -> r.podUid().equals(pod.uid()))
          .findFirst()
          .map(rank -> ok("steps " + pod.name(), steps(rank)))
          .ifPresent(checks::add);
    }
    return checks;
  }

  /** A rank that prints no step is no loss where another one does: they train together. */
  private static String steps(RankView rank) {
    if (rank.lastStep() == null || rank.lastStepTime() == null) {
      return "prints none";
    }
    var pace = rank.pace();
    String p99 =
        pace == null || pace.intervals() == 0
            ? "no interval measured"
            : "99 %% of intervals took at most %d ms".formatted(pace.p99Millis());
    return "step %d at %s, %s".formatted(rank.lastStep(), rank.lastStepTime(), p99);
  }

  private static Check threshold(ExaminedJob e, GangProgress progress, Instant now) {
    Policy policy = e.policy().orElse(Policy.DEFAULT);
    if (!progress.seen()) {
      return missing("stall", "no stall is found without steps", "see steps");
    }
    StallOutlook outlook = StallOutlook.of(e.job(), policy, now);
    String detail =
        "a stall after %d s: %s%s"
            .formatted(
                outlook.timeout().toSeconds(),
                outlook.why(),
                e.policy().isEmpty() ? ", by the defaults" : "");
    return ok("stall", detail);
  }

  private static Check checkpoints(ExaminedJob e) {
    String directory = e.job().job().checkpointDir();
    if (!e.hidden().isEmpty()) {
      return missing("checkpoints", e.hidden(), "docs/annotations.md, rekindle.dev/checkpoint");
    }
    return ok(
        "checkpoints",
        newest(e)
            .map(c -> "%s; %s was valid at the last recovery".formatted(directory, c.path()))
            .orElse(directory + "; judged when a recovery begins"));
  }

  private static Optional<PinnedCheckpoint> newest(ExaminedJob e) {
    return e.job().recoveries().stream()
        .map(r -> r.status())
        .filter(Objects::nonNull)
        .map(status -> status.plan())
        .filter(Objects::nonNull)
        .map(plan -> plan.checkpoint())
        .filter(Objects::nonNull)
        .filter(c -> c.verdict() == CheckpointVerdict.VALID && c.step() != null)
        .max(Comparator.comparing(c -> Objects.requireNonNull(c.step())));
  }

  private static Check inPlace(ExaminedJob e, Instant now) {
    if (!e.nodesRead()) {
      return unknown(
          "restart in place", "nodes cannot be read", "ask for the right to get nodes and faults");
    }
    var way = RestartOutlook.of(e.job(), e.policy().orElse(Policy.DEFAULT), now);
    return way.inPlace()
        ? ok("restart in place", way.reason())
        : missing(
            "restart in place",
            "a rebuild: " + way.reason(),
            "docs/annotations.md, rekindle.dev/restart");
  }
}
