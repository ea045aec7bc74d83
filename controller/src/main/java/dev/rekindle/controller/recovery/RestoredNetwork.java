package dev.rekindle.controller.recovery;

import dev.rekindle.api.FormerNetwork;
import dev.rekindle.api.FormerRun;
import dev.rekindle.api.Transport;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.network.Nic;
import dev.rekindle.controller.network.RdmaProof;
import dev.rekindle.controller.network.RdmaProof.Former;
import dev.rekindle.controller.network.RdmaProof.Member;
import dev.rekindle.controller.network.RdmaProof.Proof;
import dev.rekindle.controller.network.RequestedNetworks;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Whether a gang that trains again is on RDMA, by what its pods ask for and what NCCL prints. */
final class RestoredNetwork {
  private RestoredNetwork() {}

  /** Empty for a job that neither asks for RDMA nor was seen to use it. */
  static Optional<Proof> of(RecoverySnapshot s, JobView job, GangProgress progress) {
    List<Nic> rails = rails(s, job);
    Map<String, Transport> transports = new HashMap<>();
    for (RankView rank : progress.witnesses()) {
      Transport transport = rank.transport();
      if (transport != null) {
        transports.put(rank.podUid(), transport);
      }
    }
    List<Member> gang =
        s.pods().stream().map(p -> member(p, rails, transports.get(p.uid()))).toList();
    return RdmaProof.of(rails, former(Transitions.cause(s).before()), gang, null);
  }

  private static Member member(PodView pod, List<Nic> rails, @Nullable Transport transport) {
    // Requests that could not be read are not missing.
    List<String> resources =
        pod.requests().isEmpty()
            ? rails.stream().map(Nic::resource).toList()
            : List.copyOf(pod.requests().values().keySet());
    return new Member(
        pod.role() + "/" + pod.index(),
        pod.name(),
        pod.uid(),
        pod.node(),
        resources,
        null,
        transport);
  }

  /** The rails that pods of each type ask for. */
  private static List<Nic> rails(RecoverySnapshot s, JobView job) {
    return job.replicas().stream()
        .map(replica -> rails(s, job, replica))
        .reduce((some, others) -> some.stream().filter(others::contains).toList())
        .orElse(List.of());
  }

  private static List<Nic> rails(RecoverySnapshot s, JobView job, Replica replica) {
    return RequestedNetworks.of(job.key().namespace(), replica.needs().networks(), s.networks())
        .nics()
        .stream()
        .filter(nic -> nic.injected() || replica.needs().requests().get(nic.resource()) > 0)
        .toList();
  }

  private static Former former(@Nullable FormerRun before) {
    FormerNetwork network = before == null ? null : before.network();
    if (network == null) {
      return Former.UNKNOWN;
    }
    Double seconds = network.secondsPerStep();
    return new Former(
        network.onRdma(),
        network.fewestDevices(),
        network.direct(),
        seconds == null ? OptionalDouble.empty() : OptionalDouble.of(seconds));
  }
}
