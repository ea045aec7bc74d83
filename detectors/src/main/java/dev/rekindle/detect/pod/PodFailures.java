package dev.rekindle.detect.pod;

import dev.rekindle.detect.pod.PodFailure.Kind;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads why a pod failed from its object; makes no calls and keeps no state. */
public final class PodFailures {
  /** Waiting reasons of the kubelet's image manager, {@code pkg/kubelet/images/types.go}. */
  private static final Set<String> IMAGE_REASONS =
      Set.of(
          "ErrImagePull",
          "ImagePullBackOff",
          "ErrImageNeverPull",
          "InvalidImageName",
          "ImageInspectError",
          "RegistryUnavailable",
          "SignatureValidationFailed");

  /** Waiting reasons of {@code pkg/kubelet/container/sync_result.go} and of the runtime manager. */
  private static final Set<String> START_REASONS =
      Set.of(
          "CreateContainerConfigError",
          "CreateContainerError",
          "PreCreateHookError",
          "PreStartHookError",
          "PostStartHookError",
          "RunContainerError",
          "CreatePodSandboxError",
          "ConfigPodSandboxError");

  /** Reasons of an ended container that never ran. */
  private static final Set<String> NEVER_RAN = Set.of("StartError", "ContainerCannotRun");

  private static final int MAX_EVIDENCE = 512;

  private PodFailures() {}

  /** The failure of a pod that explains most, if it shows any. */
  public static Optional<PodFailure> classify(Pod pod) {
    return classify(PodFactsReader.read(pod));
  }

  /** The failure that explains most, if there is any. */
  public static Optional<PodFailure> classify(PodFacts pod) {
    return all(pod).stream().findFirst();
  }

  /**
   * Every failure, those that stand before those that the kubelet has answered by a restart, and
   * within that by how much they explain.
   */
  public static List<PodFailure> all(PodFacts pod) {
    var found = new ArrayList<PodFailure>();
    pod.disruption().ifPresent(why -> found.add(disruption(why)));
    podReason(pod).ifPresent(found::add);
    pod.notScheduled()
        .filter(why -> why.reason().equals("Unschedulable"))
        .ifPresent(
            why ->
                found.add(
                    ofPod(
                        Kind.UNSCHEDULABLE,
                        why.since(),
                        sentence("no node takes the pod", why.message()))));
    for (var container : pod.containers()) {
      ofContainer(container, pod.deletionAsked()).ifPresent(found::add);
    }
    found.sort(Comparator.comparing(PodFailure::answered).thenComparing(PodFailure::kind));
    return List.copyOf(found);
  }

  private static PodFailure disruption(PodFacts.Why why) {
    // Reasons of the condition as the Kubernetes documentation on disruptions lists them.
    var kind =
        switch (why.reason()) {
          case "DeletionByTaintManager", "DeletionByPodGC" -> Kind.NODE_LOST;
          case "TerminationByKubelet", "DeletionByDeviceTaintManager" -> Kind.EVICTED;
          default -> Kind.PREEMPTED;
        };
    return ofPod(
        kind, why.since(), sentence("the pod is to go (" + why.reason() + ")", why.message()));
  }

  private static Optional<PodFailure> podReason(PodFacts pod) {
    var kind =
        switch (pod.reason()) {
          case "Evicted", "NodeShutdown", "Terminated", "Shutdown" -> Kind.EVICTED;
          case "NodeLost" -> Kind.NODE_LOST;
          case "Preempting", "Preempted" -> Kind.PREEMPTED;
          // Whatever else fails a whole pod comes from the kubelet's admission.
          default -> pod.reason().isEmpty() ? null : Kind.START_ERROR;
        };
    if (kind == null || !(pod.phase().equals("Failed") || kind == Kind.NODE_LOST)) {
      return Optional.empty();
    }
    var what = "the pod failed as a whole (" + pod.reason() + ")";
    return Optional.of(ofPod(kind, null, sentence(what, pod.message())));
  }

  private static Optional<PodFailure> ofContainer(
      ContainerFacts container, @Nullable Instant deletionAsked) {
    if (container.waiting().isPresent()) {
      var waiting = container.waiting().get();
      var kind = kindOfWaiting(waiting.reason());
      if (kind.isPresent()) {
        return Optional.of(waiting(kind.get(), container, waiting));
      }
    }
    var ended = container.terminated().or(container::lastTerminated);
    if (ended.isEmpty() || ended.get().exitCode() == 0) {
      return Optional.empty();
    }
    var end = ended.get();
    if (deletionAsked != null
        && end.finishedAt() != null
        && !end.finishedAt().isBefore(deletionAsked)) {
      return Optional.empty();
    }
    return Optional.of(ended(container, end));
  }

  private static Optional<Kind> kindOfWaiting(String reason) {
    if (IMAGE_REASONS.contains(reason)) {
      return Optional.of(Kind.IMAGE_PULL);
    }
    if (START_REASONS.contains(reason)) {
      return Optional.of(Kind.START_ERROR);
    }
    return reason.equals("CrashLoopBackOff") ? Optional.of(Kind.CRASH_LOOP) : Optional.empty();
  }

  private static PodFailure waiting(
      Kind kind, ContainerFacts container, ContainerFacts.Waiting waiting) {
    var last = container.lastTerminated().filter(end -> kind == Kind.CRASH_LOOP);
    var what = "container " + container.name() + " waits (" + waiting.reason() + ")";
    return new PodFailure(
        kind,
        container.name(),
        last.map(end -> OptionalInt.of(end.exitCode())).orElse(OptionalInt.empty()),
        OptionalInt.empty(),
        container.restarts(),
        false,
        last.map(ContainerFacts.Ended::finishedAt).orElse(null),
        sentence(
            last.map(end -> what + ", its last run " + Signals.howEnded(end)).orElse(what),
            waiting.message()));
  }

  private static PodFailure ended(ContainerFacts container, ContainerFacts.Ended end) {
    var signal = Signals.of(end);
    Kind kind;
    if (end.reason().equals("OOMKilled")) {
      kind = Kind.OOM_KILLED;
    } else if (end.reason().equals("ContainerStatusUnknown")) {
      kind = Kind.NODE_LOST; // The kubelet came back and found no trace of the container.
    } else if (NEVER_RAN.contains(end.reason())) {
      kind = Kind.START_ERROR;
    } else {
      kind = signal.isPresent() ? Kind.SIGNAL : Kind.EXIT_CODE;
    }
    return new PodFailure(
        kind,
        container.name(),
        OptionalInt.of(end.exitCode()),
        kind == Kind.SIGNAL || kind == Kind.OOM_KILLED ? signal : OptionalInt.empty(),
        container.restarts(),
        container.running(),
        end.finishedAt(),
        sentence("container " + container.name() + " " + Signals.howEnded(end), end.message()));
  }

  private static PodFailure ofPod(Kind kind, @Nullable Instant since, String evidence) {
    return new PodFailure(
        kind, "", OptionalInt.empty(), OptionalInt.empty(), 0, false, since, evidence);
  }

  private static String sentence(String what, String detail) {
    var whole = detail.isBlank() ? what : what + ": " + detail.strip();
    return whole.length() <= MAX_EVIDENCE ? whole : whole.substring(0, MAX_EVIDENCE);
  }
}
