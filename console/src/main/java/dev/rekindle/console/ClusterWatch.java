package dev.rekindle.console;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.Recovery;
import dev.rekindle.page.FaultRow;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.micronaut.context.annotation.Context;
import jakarta.annotation.PreDestroy;
import java.util.List;
import java.util.function.Consumer;

/** Watches recoveries and faults, and says in which namespace something changed. */
@Context
final class ClusterWatch {
  private final RecoveryStore recoveries;
  private final SharedIndexInformer<Recovery> recoveryInformer;
  private final SharedIndexInformer<NodeFault> faultInformer;

  ClusterWatch(KubernetesClient client, Changes changes) {
    recoveries = new RecoveryStore(client.getKubernetesSerialization());
    recoveryInformer =
        client
            .resources(Recovery.class)
            .inAnyNamespace()
            .withLimit(500L)
            .runnableInformer(0)
            .itemStore(recoveries)
            // For ever: a CRD that is not there yet, and an API server that is not, come.
            .exceptionHandler((started, failure) -> true);
    recoveryInformer.addEventHandler(
        new Announcer<>(r -> changes.changed(r.getMetadata().getNamespace())));
    faultInformer =
        client
            .resources(NodeFault.class)
            .withLimit(500L)
            .runnableInformer(0)
            .exceptionHandler((started, failure) -> true);
    faultInformer.addEventHandler(new Announcer<>(_ -> changes.changed("")));
    var _ = recoveryInformer.start();
    var _ = faultInformer.start();
  }

  RecoveryStore recoveries() {
    return recoveries;
  }

  /** Faults that have a spec. */
  List<NodeFault> faults() {
    return faultInformer.getStore().list().stream().filter(f -> f.getSpec() != null).toList();
  }

  List<FaultRow> faultRows() {
    return faults().stream().map(FaultRow::of).toList();
  }

  /** Whether everything was seen once. */
  boolean synced() {
    return recoveryInformer.hasSynced() && faultInformer.hasSynced();
  }

  @PreDestroy
  void close() {
    recoveryInformer.close();
    faultInformer.close();
  }

  private record Announcer<T>(Consumer<T> heard) implements ResourceEventHandler<T> {
    @Override
    public void onAdd(T object) {
      heard.accept(object);
    }

    @Override
    public void onUpdate(T before, T after) {
      heard.accept(after);
    }

    @Override
    public void onDelete(T object, boolean unknown) {
      heard.accept(object);
    }
  }
}
