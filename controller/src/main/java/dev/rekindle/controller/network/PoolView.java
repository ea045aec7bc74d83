package dev.rekindle.controller.network;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the controller keeps of a SpiderIPPool ({@code spiderpool.spidernet.io/v2beta1}).
 *
 * @param name its name; pools have no namespace
 * @param ipv6 whether it gives IPv6 addresses
 * @param closed whether it gives none: {@code spec.disable}, or it is being deleted
 * @param isDefault {@code spec.default}: taken by pods that nothing names a pool for
 * @param nodeNames nodes that it is for; wins over {@code nodeAffinity}; empty for all
 * @param nodeAffinity labels of the nodes that it is for
 * @param namespaceNames namespaces that it is for; empty for all
 * @param multusNames networks that it is for, {@code namespace/name} or a name; empty for all
 * @param total how many addresses it has; absent where that cannot be read
 * @param bookings the addresses that are given out; absent where they cannot be read
 */
@RecordBuilder
public record PoolView(
    String name,
    boolean ipv6,
    boolean closed,
    boolean isDefault,
    Set<String> nodeNames,
    LabelRule nodeAffinity,
    Set<String> namespaceNames,
    Set<String> multusNames,
    @Nullable Long total,
    @Nullable List<Booking> bookings)
    implements PoolViewBuilder.With {
  /**
   * An address that is given out.
   *
   * @param pod the pod by namespace and name; that name comes back with other pods
   * @param uid the pod by UID: whose address it is
   */
  public record Booking(String pod, String uid) {}

  public PoolView {
    nodeNames = Set.copyOf(nodeNames);
    namespaceNames = Set.copyOf(namespaceNames);
    multusNames = Set.copyOf(multusNames);
    bookings = bookings == null ? null : List.copyOf(bookings);
  }

  /** Whether a pod on a node of that name and these labels may take an address of it. */
  public boolean fitsNode(String node, Map<String, String> labels) {
    return nodeNames.isEmpty() ? nodeAffinity.holds(labels) : nodeNames.contains(node);
  }

  /** Whether it is for that network, {@code namespace/name}; for none that is not known. */
  public boolean fitsNetwork(String network) {
    return multusNames.isEmpty()
        || network.isEmpty()
        || multusNames.contains(network)
        || multusNames.contains(network.substring(network.indexOf('/') + 1));
  }

  /**
   * How many addresses are left once the pods with these UIDs are gone; empty where it cannot be
   * read. Of a pod that has only the name of one of them the address stays taken.
   */
  public OptionalLong free(Collection<String> leaving) {
    Long all = total;
    List<Booking> given = bookings;
    if (all == null || given == null) {
      return OptionalLong.empty();
    }
    long taken = given.stream().filter(b -> !leaving.contains(b.uid())).count();
    return OptionalLong.of(Math.max(0, all - taken));
  }

  /** Whether it has an address of the pod with that UID. */
  public boolean holds(String uid) {
    List<Booking> given = bookings;
    return given != null && given.stream().anyMatch(b -> b.uid().equals(uid));
  }

  /**
   * Addresses that are given to pods of these names and of none of these UIDs: their owners are
   * gone, and only Spiderpool's scan frees them.
   *
   * @param uidByPod the UIDs of the pods that there are, by namespace and name
   */
  public long leaked(Map<String, String> uidByPod) {
    List<Booking> given = bookings;
    return given == null
        ? 0
        : given.stream()
            .filter(b -> !b.uid().equals(uidByPod.getOrDefault(b.pod(), b.uid())))
            .count();
  }
}
