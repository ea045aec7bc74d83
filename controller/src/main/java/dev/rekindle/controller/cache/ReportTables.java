package dev.rekindle.controller.cache;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RestartView;
import java.util.List;
import java.util.function.Consumer;

/** What agents report, by job; of each node no more than its agent has to say. */
final class ReportTables {
  /** More pods than a node has, with those that have just gone. */
  private static final int RANKS = 1_024;

  /** More orders than there are for the pods of a node. */
  private static final int RESTARTS = 256;

  private final Table<RankView> ranks = new Table<>();
  private final Table<RankView>.Index<JobKey> ranksByJob = ranks.index(RankView::job);
  private final Table<RankView>.Index<String> ranksByNode = ranks.index(RankView::node);
  private final Table<RestartView> restarts = new Table<>();
  private final Table<RestartView>.Index<JobKey> restartsByJob = restarts.index(RestartView::job);
  private final Table<RestartView>.Index<String> restartsByNode = restarts.index(RestartView::node);

  List<RankView> ranks(JobKey job) {
    return ranksByJob.get(job);
  }

  List<RestartView> restarts(JobKey job) {
    return restartsByJob.get(job);
  }

  /** Where RankReports are delivered; takes each job of which one has changed. */
  ViewFeed<RankView> rankFeed(Consumer<JobKey> changed) {
    return new ReportShare<>(
        ranks,
        ranksByNode,
        RankView::node,
        RANKS,
        new TableFeed<>(ranks, view -> changed.accept(view.job())));
  }

  /** The same of RestartReports. */
  ViewFeed<RestartView> restartFeed(Consumer<JobKey> changed) {
    return new ReportShare<>(
        restarts,
        restartsByNode,
        RestartView::node,
        RESTARTS,
        new EvidenceShare(
            restartsByNode, new TableFeed<>(restarts, view -> changed.accept(view.job()))));
  }
}
