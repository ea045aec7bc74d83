package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.FormerNetwork;
import dev.rekindle.api.Transport;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.network.RdmaProof.Former;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** The network of a gang, and the time of its steps, at the moment of a fault. */
final class FormerNetworks {
  private FormerNetworks() {}

  /** Null where neither NCCL nor Multus has named anything, and too few steps were made. */
  static @Nullable FormerNetwork of(Collection<PodView> pods, GangProgress progress) {
    List<Transport> transports =
        progress.reports().stream().map(RankView::transport).filter(Objects::nonNull).toList();
    Former former =
        Former.of(transports, pods.size(), pods.stream().map(PodView::attached).toList());
    OptionalDouble step = StepTimes.secondsPerStep(progress.reports());
    return former.equals(Former.UNKNOWN) && transports.isEmpty() && step.isEmpty()
        ? null
        : new FormerNetwork(
            former.onRdma(),
            former.fewestDevices(),
            former.direct(),
            step.isPresent() ? step.getAsDouble() : null,
            former.attachedDevices());
  }
}
