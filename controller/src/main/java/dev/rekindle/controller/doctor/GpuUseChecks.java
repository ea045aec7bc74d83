package dev.rekindle.controller.doctor;

import static dev.rekindle.controller.doctor.Check.ok;

import dev.rekindle.api.RankReportStatus.Witnesses;
import dev.rekindle.controller.model.PodView;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Of how many ranks agents read how busy the GPU is. It is a weak witness that a job can do
 * without, and that some GPUs and drivers do not have: none is missing.
 */
final class GpuUseChecks {
  private GpuUseChecks() {}

  /**
   * The check; empty where no pod asks for a GPU, or not all pods were inspected yet.
   *
   * @param live what was found of the ranks that run in a pod, by its UID
   */
  static Optional<Check> of(ExaminedJob e, Map<String, Witnesses> live) {
    List<PodView> pods = e.job().pods();
    boolean inspected = pods.stream().allMatch(pod -> live.containsKey(pod.uid()));
    if (!inspected || pods.stream().noneMatch(pod -> pod.gpus() > 0)) {
      return Optional.empty();
    }
    int ranks = live.values().stream().mapToInt(Witnesses::ranks).sum();
    int read = live.values().stream().mapToInt(Witnesses::gpusRead).sum();
    String most = read < ranks ? "; dumps and stacks are enough" : "";
    return Optional.of(ok("GPU use", "read of %d of %d ranks%s".formatted(read, ranks, most)));
  }
}
