package dev.rekindle.console;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.Recovery;
import dev.rekindle.page.FaultRow;
import dev.rekindle.page.FleetPage;
import dev.rekindle.page.Incident;
import dev.rekindle.page.ListPage;
import dev.rekindle.page.ListPage.Filter;
import dev.rekindle.page.NodePage;
import dev.rekindle.page.RecoveryRow;
import jakarta.inject.Singleton;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What there is, as far as a visitor may see it. */
@Singleton
class Archive {
  private final ClusterWatch cluster;
  private final Access access;
  private final Guard guard;
  private final InstantSource clock = InstantSource.system();

  Archive(ClusterWatch cluster, Access access, Guard guard) {
    this.cluster = cluster;
    this.access = access;
    this.guard = guard;
  }

  /**
   * A part of the list.
   *
   * @param limit how many at most
   * @throws Refused where the filter names a namespace that the visitor may not see
   */
  Slice list(Visitor visitor, Filter filter, Optional<Cursor> after, int limit) {
    List<RecoveryRow> rows =
        visible(visitor, filter.namespace()).stream()
            .filter(filter::fits)
            .sorted(ListPage.ORDER)
            .toList();
    List<RecoveryRow> rest =
        rows.stream().filter(r -> after.isEmpty() || after.get().isBefore(r)).toList();
    List<RecoveryRow> part = rest.stream().limit(limit).toList();
    return new Slice(
        part,
        part.size() < rest.size() ? Optional.of(Cursor.of(part.getLast())) : Optional.empty(),
        rows.size());
  }

  private List<RecoveryRow> visible(Visitor visitor, String namespace) {
    if (!namespace.isEmpty()) {
      guard.require(() -> access.mayList(visitor, namespace));
      return cluster.recoveries().rows().filter(r -> r.namespace().equals(namespace)).toList();
    }
    Set<String> namespaces = namespaces(visitor);
    return cluster.recoveries().rows().filter(r -> namespaces.contains(r.namespace())).toList();
  }

  private Set<String> namespaces(Visitor visitor) {
    return guard.answer(() -> access.visible(visitor, cluster.recoveries().namespaces()));
  }

  /**
   * One recovery. Faults of nodes go with it where the visitor may see those.
   *
   * @throws Refused where they may not see it, before it is looked whether there is one
   */
  Incident incident(Visitor visitor, String namespace, String name) {
    guard.require(() -> access.mayList(visitor, namespace));
    Recovery recovery =
        cluster
            .recoveries()
            .find(namespace, name)
            .orElseThrow(() -> new Refused(Refused.Why.NO_SUCH));
    List<NodeFault> faults =
        guard.answer(() -> access.maySeeNodes(visitor)) ? cluster.faults() : List.of();
    return new Incident(recovery, faults, clock.instant());
  }

  /** One node, and those of its recoveries that the visitor may see. */
  NodePage node(Visitor visitor, String node) {
    guard.require(() -> access.maySeeNodes(visitor));
    NodePage page = new NodePage(node, cluster.faultRows(), visible(visitor, ""));
    if (page.faults().isEmpty() && page.recoveries().isEmpty()) {
      throw new Refused(Refused.Why.NO_SUCH);
    }
    return page;
  }

  /** All nodes, and what the visitor may see of recoveries. */
  FleetPage fleet(Visitor visitor) {
    guard.require(() -> access.maySeeNodes(visitor));
    return FleetPage.of(cluster.faultRows(), visible(visitor, ""));
  }

  /** Faults of nodes. */
  List<FaultRow> faults(Visitor visitor) {
    guard.require(() -> access.maySeeNodes(visitor));
    return cluster.faultRows();
  }

  /** Whether the visitor may hear that something changed there. */
  boolean mayHear(Visitor visitor, String namespace) {
    return namespace.isEmpty()
        ? guard.answer(() -> access.maySeeNodes(visitor))
        : guard.answer(() -> access.mayList(visitor, namespace));
  }
}
