package dev.rekindle.agent.faults;

import dev.rekindle.detect.MigInstance;
import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.freeze.ContainerOfProcess;
import dev.rekindle.detect.kernel.Finding;
import dev.rekindle.detect.kernel.Source;
import dev.rekindle.detect.kernelfault.AffectedPods;
import dev.rekindle.detect.node.KubeletDevices;
import dev.rekindle.detect.nvml.GpuHolders;
import dev.rekindle.detect.nvml.GpuNames;
import dev.rekindle.detect.pod.TrainingPod;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The training pod that was hit: the one that the process belongs to, which the driver names; where
 * it names none, or the process has ended by now, the one that holds the GPU or the part of it.
 */
final class PodResolver implements GpuHolders, AffectedPods {
  private final ContainerOfProcess containers;
  private final Supplier<Collection<TrainingPod>> pods;
  private final Supplier<GpuNames> gpus;
  private final KubeletDevices kubelet;
  private final Function<TrainingPod, String> owners;

  /**
   * A finder.
   *
   * @param gpus how NVML calls GPUs and slices by now
   * @param kubelet asked where a pod itself does not say what it holds
   * @param owners what the job of a pod belongs to; empty where it is not known
   */
  PodResolver(
      ContainerOfProcess containers,
      Supplier<Collection<TrainingPod>> pods,
      Supplier<GpuNames> gpus,
      KubeletDevices kubelet,
      Function<TrainingPod, String> owners) {
    this.containers = containers;
    this.pods = pods;
    this.gpus = gpus;
    this.kubelet = kubelet;
    this.owners = owners;
  }

  @Override
  public AffectedPod of(Finding finding) {
    return pod(finding).as(finding.process());
  }

  private AffectedPod pod(Finding finding) {
    var process = finding.pid();
    if (process.isPresent()) {
      var owner = owner(process);
      // A process that lives, and in no training pod, says that none was hit.
      if (owner.isKnown() || containers.lives(process.getAsLong())) {
        return owner;
      }
    }
    return finding.source() == Source.XID
        ? holder(finding.device(), finding.part())
        : AffectedPod.UNKNOWN;
  }

  private AffectedPod owner(OptionalLong process) {
    var candidates = pods.get().stream().filter(pod -> !pod.container().id().isEmpty()).toList();
    return containers
        .find(process.getAsLong(), candidates.stream().map(pod -> pod.container().id()).toList())
        .flatMap(
            id -> candidates.stream().filter(pod -> pod.container().id().equals(id)).findFirst())
        .map(this::victim)
        .orElse(AffectedPod.UNKNOWN);
  }

  @Override
  public AffectedPod holder(String pci, Optional<MigInstance> part) {
    var ids = gpus.get().ids(pci, part);
    if (ids.isEmpty()) {
      return AffectedPod.UNKNOWN;
    }
    List<AffectedPod> holders =
        pods.get().stream()
            .filter(pod -> !pod.finished())
            .filter(pod -> devices(pod).stream().anyMatch(ids::contains))
            .map(this::victim)
            .limit(2)
            .toList();
    // Shared in time: any of them may have been hit.
    return holders.size() == 1 ? holders.getFirst() : AffectedPod.UNKNOWN;
  }

  private Set<String> devices(TrainingPod pod) {
    return pod.devices().isEmpty() ? kubelet.of(pod.uid()) : pod.devices();
  }

  private AffectedPod victim(TrainingPod pod) {
    return new AffectedPod(pod.namespace(), pod.name(), pod.jobUid(), owners.apply(pod), "");
  }
}
