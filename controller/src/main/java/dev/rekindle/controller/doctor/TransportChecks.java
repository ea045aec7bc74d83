package dev.rekindle.controller.doctor;

import static dev.rekindle.controller.doctor.Check.missing;
import static dev.rekindle.controller.doctor.Check.ok;
import static dev.rekindle.controller.doctor.Check.unknown;

import dev.rekindle.api.FormerRun;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.Transport;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.diagnosis.StepTimes;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.network.RequestedNetworks;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Whether a job that is to be on RDMA is, whether its logs can show it, and how long its steps take
 * beside before. No line for a job that requests none.
 */
final class TransportChecks {
  private static final String NAME = "RDMA";
  private static final String DEBUG = "NCCL_DEBUG";
  private static final String FILE = "NCCL_DEBUG_FILE";
  private static final String SET = "set NCCL_DEBUG=INFO in container pytorch; docs/rdma.md";

  private TransportChecks() {}

  static List<Check> of(ExaminedJob e, GangProgress progress) {
    List<Check> checks = new ArrayList<>();
    if (wantsRdma(e) && !e.job().pods().isEmpty()) {
      checks.add(network(e, progress));
    }
    stepTime(e, progress).ifPresent(checks::add);
    return checks;
  }

  private static boolean wantsRdma(ExaminedJob e) {
    JobView job = e.job().job();
    return job.requiresRdma() || job.replicas().stream().anyMatch(r -> asks(e, r));
  }

  private static boolean asks(ExaminedJob e, Replica replica) {
    String namespace = e.job().job().key().namespace();
    return replica.needs().requests().values().keySet().stream()
            .anyMatch(r -> r.startsWith("rdma/"))
        || RequestedNetworks.of(namespace, replica.needs().networks(), e.spiderpool().networks())
            .nics()
            .stream()
            .anyMatch(nic -> !nic.resource().isEmpty());
  }

  private static Check network(ExaminedJob e, GangProgress progress) {
    Map<String, Transport> heard = new HashMap<>();
    for (RankView rank : progress.witnesses()) {
      Transport transport = rank.transport();
      if (transport != null) {
        heard.put(rank.podUid(), transport);
      }
    }
    List<PodView> pods =
        e.job().pods().stream().sorted(Comparator.comparing(PodView::name)).toList();
    for (PodView pod : pods) {
      Transport transport = heard.get(pod.uid());
      if (transport != null && transport.socketRanks() > 0) {
        return missing(
            NAME,
            "NCCL of pod %s on node %s sends over TCP".formatted(pod.name(), pod.node()),
            "check the devices of that node and the pod's NCCL_* variables; docs/rdma.md");
      }
    }
    return pods.stream()
        .filter(pod -> !heard.containsKey(pod.uid()))
        .findFirst()
        .map(pod -> unheard(pod, e.variables().getOrDefault(pod.uid(), Map.of())))
        .orElseGet(() -> all(heard));
  }

  private static Check all(Map<String, Transport> heard) {
    boolean rdma = heard.values().stream().allMatch(t -> t.rdmaRanks() == t.ranks());
    String networks =
        String.join(
            ", ",
            heard.values().stream()
                .flatMap(t -> t.networks().stream())
                .distinct()
                .sorted()
                .toList());
    return rdma
        ? ok(NAME, "NCCL of all %d pods is on %s".formatted(heard.size(), networks))
        : unknown(
            NAME,
            "NCCL uses %s, which may be RDMA or not".formatted(networks),
            "check the plugin's own lines in the log");
  }

  /** By the literal environment of the pod; an image may set the same. */
  private static Check unheard(PodView pod, Map<String, String> variables) {
    String debug = variables.get(DEBUG);
    if (variables.containsKey(FILE)) {
      return missing(
          NAME,
          "nothing shows it: %s of pod %s takes NCCL's lines off the log"
              .formatted(FILE, pod.name()),
          "take NCCL_DEBUG_FILE off, or let it name /dev/stdout; docs/rdma.md");
    }
    if (debug == null || !prints(debug)) {
      return missing(
          NAME,
          "nothing shows it: NCCL_DEBUG of pod %s is %s, and no line names its network"
              .formatted(pod.name(), debug == null ? "not set" : "not INFO"),
          SET);
    }
    return unknown(
        NAME, "no line of NCCL names the network of pod %s yet".formatted(pod.name()), SET);
  }

  /** As NCCL reads it: in any case. A value that is read from elsewhere is empty, and not known. */
  private static boolean prints(String debug) {
    return debug.isEmpty() || debug.equalsIgnoreCase("INFO") || debug.equalsIgnoreCase("TRACE");
  }

  private static Optional<Check> stepTime(ExaminedJob e, GangProgress progress) {
    OptionalDouble ratio = StepTimes.ratio(stepBefore(e), progress.witnesses());
    if (ratio.isEmpty()) {
      return Optional.empty();
    }
    String detail =
        "a step takes %.2f times as long as before the newest recovery"
            .formatted(ratio.getAsDouble());
    return Optional.of(
        ratio.getAsDouble() > StepTimes.SLOWER
            ? unknown("step time", detail, "compare the nodes of the gang with those before")
            : ok("step time", detail));
  }

  private static @Nullable Double stepBefore(ExaminedJob e) {
    FormerRun before =
        e.job().recoveries().stream()
            .max(Comparator.comparing(TransportChecks::opened))
            .map(RecoveryView::status)
            .map(RecoveryStatus::cause)
            .map(cause -> cause.before())
            .orElse(null);
    return before == null || before.network() == null ? null : before.network().secondsPerStep();
  }

  private static Instant opened(RecoveryView recovery) {
    return Objects.requireNonNullElse(recovery.spec().detectedAt(), Instant.MIN);
  }
}
