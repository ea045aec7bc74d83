package dev.rekindle.controller.doctor;

import static dev.rekindle.controller.doctor.Check.missing;
import static dev.rekindle.controller.doctor.Check.ok;
import static dev.rekindle.controller.doctor.Check.unknown;

import dev.rekindle.controller.model.PodView;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Whether the pods' specs let agents ask each rank for a dump of its flight recorder. An image may
 * set the same variables: it is not looked into.
 */
final class RecorderChecks {
  private static final String ADVICE = "docs/hangs.md, How to get dumps: set ";
  private static final List<String> PIPE = List.of("TORCH_NCCL_DEBUG_INFO_PIPE_FILE");
  private static final List<String> DUMP =
      List.of("TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE");
  private static final List<String> LENGTH =
      List.of("TORCH_FR_BUFFER_SIZE", "TORCH_NCCL_TRACE_BUFFER_SIZE");
  private static final List<String> STACKS = List.of("TORCH_INCLUDE_STACK_TRACE");

  private RecorderChecks() {}

  static List<Check> of(Examined e) {
    return List.of(
        check(e, "dump pipe", PIPE, "a path prefix", v -> v.startsWith("/")),
        check(e, "dump path", DUMP, "a path prefix", v -> v.startsWith("/")),
        check(e, "recorder length", LENGTH, "2000", v -> v.matches("0*[1-9]\\d{0,8}")),
        check(e, "short dumps", STACKS, "0", v -> v.equals("0")));
  }

  private static Check check(
      Examined e, String name, List<String> variables, String value, Predicate<String> fits) {
    List<PodView> pods =
        e.job().pods().stream().sorted(Comparator.comparing(PodView::name)).toList();
    String advice = ADVICE + variables.getFirst() + " to " + value;
    if (pods.isEmpty()) {
      return unknown(name, "no pod to look at", "");
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
