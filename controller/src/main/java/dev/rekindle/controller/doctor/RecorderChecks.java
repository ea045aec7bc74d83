package dev.rekindle.controller.doctor;

import static dev.rekindle.controller.doctor.Check.missing;
import static dev.rekindle.controller.doctor.Check.ok;
import static dev.rekindle.controller.doctor.Check.unknown;

import dev.rekindle.api.RankReportStatus.Witnesses;
import dev.rekindle.controller.model.PodView;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Whether agents can ask each rank for a dump of its flight recorder: its pipe by what agents have
 * found of the ranks that run, where they have read all pods, the rest by the pods' specs. An image
 * may set the same variables: it is not read.
 */
final class RecorderChecks {
  private static final String ADVICE = "docs/hangs.md, How to get dumps: set ";
  private static final List<String> PIPE = List.of("TORCH_NCCL_DEBUG_INFO_PIPE_FILE");
  private static final List<String> DUMP =
      List.of("TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE");
  private static final List<String> LENGTH =
      List.of("TORCH_FR_BUFFER_SIZE", "TORCH_NCCL_TRACE_BUFFER_SIZE");

  /** Without it PyTorch reads its pipe no more often than its watchdog's heartbeat times out. */
  private static final List<String> ON_TIMEOUT = List.of("TORCH_NCCL_DUMP_ON_TIMEOUT");

  private RecorderChecks() {}

  /**
   * All checks.
   *
   * @param live what was found of the ranks that run in a pod, by its UID
   */
  static List<Check> of(ExaminedJob e, Map<String, Witnesses> live) {
    return List.of(
        live(e, live)
            .orElseGet(() -> check(e, "dump pipe", PIPE, "a path prefix", v -> v.startsWith("/"))),
        check(e, "dump path", DUMP, "a path prefix", v -> v.startsWith("/")),
        check(e, "recorder length", LENGTH, "2000", v -> v.matches("0*[1-9]\\d{0,8}")),
        check(e, "dump in time", ON_TIMEOUT, "1", v -> v.matches("(?i)1|t|true|y|yes")));
  }

  /** By what runs; empty where all that was found is in order, but not all pods were read. */
  private static Optional<Check> live(ExaminedJob e, Map<String, Witnesses> live) {
    int ranks = 0;
    boolean all = !e.job().pods().isEmpty();
    for (PodView pod : sorted(e)) {
      Witnesses found = live.get(pod.uid());
      if (found == null) {
        all = false;
        continue;
      }
      var lack = lack(found);
      if (!lack.isEmpty()) {
        return Optional.of(missing("dump pipe", pod.name() + ": " + lack, advice(found)));
      }
      ranks += found.ranks();
    }
    return all
        ? Optional.of(ok("dump pipe", "%1$d of %1$d ranks read their pipe".formatted(ranks)))
        : Optional.empty();
  }

  private static String lack(Witnesses found) {
    if (found.ranks() == 0) {
      return "no process has RANK in its environment";
    }
    if (found.pipesUnread() > 0) {
      return "%d of %d ranks do not read their pipe".formatted(found.pipesUnread(), found.ranks());
    }
    int without = found.ranks() - found.pipesRead();
    return without == 0
        ? ""
        : "%d of %d ranks: %s not set".formatted(without, found.ranks(), PIPE.getFirst());
  }

  private static String advice(Witnesses found) {
    if (found.ranks() == 0) {
      return "start ranks with RANK in their environment, as torchrun does";
    }
    return found.pipesUnread() > 0
        ? ADVICE + "TORCH_FR_BUFFER_SIZE to 2000; over Gloo the script reads the pipe itself"
        : ADVICE + PIPE.getFirst() + " to a path prefix";
  }

  private static List<PodView> sorted(ExaminedJob e) {
    return e.job().pods().stream().sorted(Comparator.comparing(PodView::name)).toList();
  }

  private static Check check(
      ExaminedJob e, String name, List<String> variables, String value, Predicate<String> fits) {
    List<PodView> pods = sorted(e);
    String advice = ADVICE + variables.getFirst() + " to " + value;
    if (pods.isEmpty()) {
      return unknown(name, "no pod to inspect", "");
    }
    String elsewhere = "";
    for (PodView pod : pods) {
      Map<String, String> own = e.variables().getOrDefault(pod.uid(), Map.of());
      var set = variables.stream().filter(own::containsKey).toList();
      if (set.isEmpty()) {
        return missing(name, "%s: %s not set".formatted(pod.name(), variables.getFirst()), advice);
      }
      if (set.stream().noneMatch(v -> fits.test(own.getOrDefault(v, "")))) {
        if (set.stream().noneMatch(v -> own.getOrDefault(v, "").isEmpty())) {
          return missing(
              name, "%s: %s has another value".formatted(pod.name(), set.getFirst()), advice);
        }
        elsewhere = pod.name();
      }
    }
    return elsewhere.isEmpty()
        ? ok(name, "set in all %d pods".formatted(pods.size()))
        : unknown(name, elsewhere + ": its value is empty or not in the pod's spec", advice);
  }
}
