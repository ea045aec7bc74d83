package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.network.ClusterNetworks;
import dev.rekindle.controller.network.PoolView;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whose pods are to come, and what networks offer them.
 *
 * @param namespace namespace of the job
 * @param names how the pods of the job are named before their number, namespace first, and how many
 *     of each there are when it is complete
 * @param present UIDs of those that there are
 * @param leaving UIDs of those that go, and whose addresses are free then
 * @param networks what Spiderpool offers
 */
public record NetworkDemand(
    String namespace,
    Map<String, Integer> names,
    Set<String> present,
    Set<String> leaving,
    ClusterNetworks networks) {
  /** Of a job that requests nothing. */
  public static final NetworkDemand NONE =
      new NetworkDemand("", Map.of(), Set.of(), Set.of(), ClusterNetworks.NONE);

  /** That of a job of whose pods some, or all, are replaced. */
  public static NetworkDemand of(
      JobView job,
      Collection<PodView> pods,
      Collection<PodView> leaving,
      ClusterNetworks networks) {
    if (!networks.installed()) {
      return NONE;
    }
    // Not one by one: a job may ask for two thousand million pods.
    Map<String, Integer> names = new HashMap<>();
    for (Replica replica : job.replicas()) {
      names.put(
          "%s/%s-%s-"
              .formatted(
                  job.key().namespace(), job.key().name(), replica.type().toLowerCase(Locale.ROOT)),
          replica.count());
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
        : given.stream().filter(b -> isNamed(b.pod()) && !present.contains(b.uid())).count();
  }

  /** Whether the operator gives a pod of the job that name. */
  private boolean isNamed(String pod) {
    int number = pod.lastIndexOf('-') + 1;
    int count = names.getOrDefault(pod.substring(0, number), 0);
    try {
      int index = Integer.parseInt(pod.substring(number));
      return index >= 0 && index < count && pod.endsWith("-" + index);
    } catch (NumberFormatException otherName) {
      return false;
    }
  }
}
