package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.FormerNetwork;
import dev.rekindle.api.RankReportStatus.Pace;
import dev.rekindle.api.Transport;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.network.RdmaProof;
import dev.rekindle.controller.network.RdmaProof.Former;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** The network of a gang at the moment of a fault. */
final class FormerNetworks {
  private FormerNetworks() {}

  /** Null where no line of NCCL has named a network. */
  static @Nullable FormerNetwork of(Collection<PodView> pods, GangProgress progress) {
    List<Transport> transports =
        progress.reports().stream().map(RankView::transport).filter(Objects::nonNull).toList();
    if (transports.isEmpty()) {
      return null;
    }
    Former former = Former.of(transports, pods.size(), OptionalDouble.empty());
    return new FormerNetwork(
        former.onRdma(), former.fewestDevices(), former.direct(), secondsPerStep(progress));
  }

  private static @Nullable Double secondsPerStep(GangProgress progress) {
    return progress.reports().stream()
        .map(RankView::pace)
        .filter(Objects::nonNull)
        .filter(p -> p.intervals() >= RdmaProof.STEPS && p.trainedSeconds() > 0)
        .max(Comparator.comparingInt(Pace::intervals))
        .map(p -> (double) p.trainedSeconds() / p.intervals())
        .orElse(null);
  }
}
