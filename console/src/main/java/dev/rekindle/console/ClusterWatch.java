package dev.rekindle.console;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.WatchedNamespaces;
import dev.rekindle.page.FaultRow;
import dev.rekindle.page.PolicyRow;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import io.micronaut.context.annotation.Context;
import io.micronaut.scheduling.annotation.Scheduled;
import jakarta.annotation.PreDestroy;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Watches recoveries, faults and policies, and says in which namespace something changed. */
@Context
final class ClusterWatch {
  /** The policy whose prices hold for all jobs. */
  private static final String DEFAULT = "default";

  private final List<RecoveryStore> stores;
  private final List<KindWatch<Recovery>> recoveries;
  private final KindWatch<NodeFault> faults;
  private final KindWatch<RecoveryPolicy> policies;
  private final KeptRecoveries kept;

  /** Counted after each change shows in the faults. */
  private final AtomicLong faultChanges = new AtomicLong();

  private final Derived<List<FaultRow>> faultRows =
      new Derived<>(faultChanges::get, () -> faults().stream().map(FaultRow::of).toList());

  ClusterWatch(
      KubernetesClient client, Changes changes, WatchedNamespaces namespaces, SteadyClock clock) {
    Packer packer = new Packer();
    this.stores =
        namespaces.places().stream()
            .map(_ -> new RecoveryStore(client.getKubernetesSerialization(), packer))
            .toList();
    this.recoveries =
        Stream.iterate(0, i -> i < stores.size(), i -> i + 1)
            .map(i -> recoveries(client, namespaces.places().get(i), stores.get(i), changes, clock))
            .toList();
    this.faults =
        new KindWatch<>(
            "nodefaults",
            "",
            client.resources(NodeFault.class),
            new BasicItemStore<>(ClusterWatch::name),
            _ -> {
              faultChanges.incrementAndGet();
              changes.changed("");
            },
            clock);
    this.policies =
        new KindWatch<>(
            "recoverypolicies",
            "",
            client.resources(RecoveryPolicy.class),
            new BasicItemStore<>(ClusterWatch::name),
            _ -> changes.changed(""),
            clock);
    this.kept =
        new KeptRecoveries(stores, rows -> new View(rows, faultChanges::get, this::faultRows));
    watches().forEach(KindWatch::start);
  }

  private static KindWatch<Recovery> recoveries(
      KubernetesClient client,
      String namespace,
      RecoveryStore store,
      Changes changes,
      SteadyClock clock) {
    var all = client.resources(Recovery.class);
    return new KindWatch<>(
        "recoveries",
        namespace,
        namespace.isEmpty() ? all.inAnyNamespace() : all.inNamespace(namespace),
        store,
        r -> changes.changed(r.getMetadata().getNamespace()),
        clock);
  }

  private static String name(HasMetadata object) {
    return object.getMetadata().getName();
  }

  /** Replaces watches that are dead. */
  @Scheduled(fixedDelay = "15s")
  void listen() {
    watches().forEach(KindWatch::listen);
  }

  private Stream<KindWatch<?>> watches() {
    return Stream.concat(recoveries.stream(), Stream.of(faults, policies));
  }

  KeptRecoveries recoveries() {
    return kept;
  }

  /** Faults that have a spec. */
  List<NodeFault> faults() {
    return faults.objects().stream().filter(f -> f.getSpec() != null).toList();
  }

  List<FaultRow> faultRows() {
    return faultRows.get();
  }

  /** All policies as they stand at that time, {@code default} first. */
  List<PolicyRow> policyRows(Instant now) {
    return policies.objects().stream()
        .map(p -> PolicyRow.of(p, now))
        .sorted(
            Comparator.comparing((PolicyRow p) -> !p.name().equals(DEFAULT))
                .thenComparing(PolicyRow::name))
        .toList();
  }

  /** The policy whose prices hold for all jobs. */
  Optional<RecoveryPolicy> defaultPolicy() {
    return policies.objects().stream()
        .filter(p -> DEFAULT.equals(p.getMetadata().getName()))
        .findFirst();
  }

  /**
   * What cannot be read, a sentence each. A namespace that is deleted takes the right to read its
   * recoveries along.
   *
   * @param where of these namespaces; the empty one stands for the whole cluster
   */
  List<String> unread(Predicate<String> where) {
    return watches()
        .flatMap(w -> w.refusal().filter(_ -> where.test(w.namespace())).stream())
        .toList();
  }

  /** Whether everything was seen once, or cannot be and that is said on the pages. */
  boolean synced() {
    return watches().allMatch(KindWatch::answered);
  }

  @PreDestroy
  void close() {
    watches().forEach(KindWatch::close);
  }
}
