package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.network.ClusterNetworks;
import dev.rekindle.controller.network.PoolView;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whose pods are to come, and what networks offer them.
 *
 * @param namespace namespace of the job
 * @param names the pods that the job has when it is complete, by namespace and name
 * @param present UIDs of those that there are
 * @param leaving UIDs of those that go, and whose addresses are free then
 * @param networks what Spiderpool offers
 */
public record NetworkDemand(
    String namespace,
    Set<String> names,
    Set<String> present,
    Set<String> leaving,
    ClusterNetworks networks) {
  /** Of a job that requests nothing. */
  public static final NetworkDemand NONE =
      new NetworkDemand("", Set.of(), Set.of(), Set.of(), ClusterNetworks.NONE);

  /** That of a job of whose pods some, or all, are replaced. */
  public static NetworkDemand of(
      JobView job,
      Collection<PodView> pods,
      Collection<PodView> leaving,
      ClusterNetworks networks) {
    if (!networks.installed()) {
      return NONE;
    }
    Set<String> names = new HashSet<>();
    for (Replica replica : job.replicas()) {
      String prefix =
          "%s/%s-%s-"
              .formatted(
                  job.key().namespace(), job.key().name(), replica.type().toLowerCase(Locale.ROOT));
      for (int i = 0; i < replica.count(); i++) {
        names.add(prefix + i);
      }
    }
    return new NetworkDemand(job.key().namespace(), names, uids(pods), uids(leaving), networks);
  }

  private static Set<String> uids(Collection<PodView> pods) {
    return pods.stream().map(PodView::uid).collect(Collectors.toUnmodifiableSet());
  }

  /** Addresses of a pool that were given to pods of the job which are gone. */
  long leaked(PoolView pool) {
    List<PoolView.Booking> given = pool.bookings();
    return given == null
        ? 0
        : given.stream().filter(b -> names.contains(b.pod()) && !present.contains(b.uid())).count();
  }
}
