package dev.rekindle.controller.cache;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.port.Changes;
import java.util.List;

/** Views of warm spares. */
final class SpareTables {
  private final Table<SpareView> spares = new Table<>();
  private final Table<SpareView>.Index<JobKey> byJob = spares.index(SpareView::job);
  private final Table<SpareView>.Index<String> byNode = spares.index(SpareView::node);

  List<SpareView> all() {
    return spares.all();
  }

  List<SpareView> of(JobKey job) {
    return byJob.get(job);
  }

  List<SpareView> on(String node) {
    return byNode.get(node);
  }

  ViewFeed<SpareView> feed(Changes changes) {
    return new TableFeed<>(spares, view -> changes.job(view.job()));
  }
}
