package dev.rekindle.controller.cache;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.RecoveryView;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Recoveries by job and by namespace, and those that are open. */
final class RecoveryTables {
  private final Table<RecoveryView> recoveries = new Table<>();
  private final Table<RecoveryView>.Index<JobKey> byJob = recoveries.index(RecoveryView::job);
  private final Table<RecoveryView>.Index<String> byNamespace =
      recoveries.index(RecoveryView::namespace);
  private final Table<RecoveryView>.Index<Boolean> byOpen = recoveries.index(RecoveryView::open);

  List<RecoveryView> all() {
    return recoveries.all();
  }

  List<RecoveryView> of(JobKey job) {
    return byJob.get(job);
  }

  List<RecoveryView> in(String namespace) {
    return byNamespace.get(namespace);
  }

  List<RecoveryView> open() {
    return byOpen.get(true);
  }

  Optional<RecoveryView> get(String namespace, String name) {
    return recoveries.get(namespace + "/" + name);
  }

  /** Takes one as the API server has just created it, ahead of its watch event. */
  void created(RecoveryView recovery) {
    recoveries.putCreated(key(recovery), recovery.resourceVersion(), recovery);
  }

  /** Takes one as the API server has just stored it, ahead of its watch event. */
  void stored(RecoveryView recovery) {
    recoveries.putChanged(key(recovery), recovery.resourceVersion(), recovery);
  }

  /**
   * Where Recoveries are delivered.
   *
   * @param changed takes each that changed
   */
  ViewFeed<RecoveryView> feed(Consumer<RecoveryView> changed) {
    return new TableFeed<>(recoveries, changed);
  }

  /** The key of one, like that of everything that has a namespace. */
  static String key(RecoveryView recovery) {
    return recovery.namespace() + "/" + recovery.name();
  }
}
