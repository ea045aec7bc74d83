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
import dev.rekindle.controller.network.Nic.PoolSource;
import dev.rekindle.controller.network.RdmaProof;
import dev.rekindle.controller.network.RdmaProof.Former;
import dev.rekindle.controller.network.RdmaProof.Member;
import dev.rekindle.controller.network.RdmaProof.Proof;
import dev.rekindle.controller.network.RequestedNetworks;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whether a gang that trains again is on RDMA, by what its pods request, what they were given and
 * what NCCL prints.
 */
final class RestoredNetwork {
  /** What device plugins call RDMA devices by default, where Spiderpool does not name them. */
  private static final String RDMA = "rdma/";

  private RestoredNetwork() {}

  /** Empty for a job that neither requests RDMA, nor requires it, nor was seen to use it. */
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
        s.pods().stream().map(p -> member(s, p, rails, transports.get(p.uid()))).toList();
    return RdmaProof.of(rails, former(Transitions.cause(s).before()), gang, job.requiresRdma());
  }

  private static Member member(
      RecoverySnapshot s, PodView pod, List<Nic> rails, @Nullable Transport transport) {
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
        s.endpoints().get(pod.name()),
        pod.attached(),
        transport);
  }

  /** The rails that pods of each type request. */
  private static List<Nic> rails(RecoverySnapshot s, JobView job) {
    return job.replicas().stream()
        .map(replica -> rails(s, job, replica))
        .reduce((some, others) -> some.stream().filter(others::contains).toList())
        .orElse(List.of());
  }

  private static List<Nic> rails(RecoverySnapshot s, JobView job, Replica replica) {
    List<Nic> named =
        RequestedNetworks.of(job.key().namespace(), replica.needs().networks(), s.networks())
            .nics()
            .stream()
            .filter(nic -> nic.injected() || replica.needs().requests().get(nic.resource()) > 0)
            .toList();
    Stream<Nic> bare =
        replica.needs().requests().values().keySet().stream()
            .filter(resource -> resource.startsWith(RDMA))
            .filter(resource -> named.stream().noneMatch(nic -> nic.resource().equals(resource)))
            .map(
                resource -> new Nic(resource, "", "", resource, false, PoolSource.NONE, List.of()));
    return Stream.concat(named.stream(), bare).toList();
  }

  private static Former former(@Nullable FormerRun before) {
    FormerNetwork network = before == null ? null : before.network();
    return network == null
        ? Former.UNKNOWN
        : new Former(
            network.onRdma(), network.fewestDevices(), network.direct(), network.attachedDevices());
  }
}
