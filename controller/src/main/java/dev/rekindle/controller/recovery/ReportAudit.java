package dev.rekindle.controller.recovery;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RestartView;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.logging.LogKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts reports of agents about pods on other nodes, once for each pod and report. No honest agent
 * writes such a report, so a person should check the node. {@link NodeReports} makes sure that
 * these reports change nothing.
 */
final class ReportAudit {
  private static final int REMEMBERED = 1_024;
  private static final Logger LOG = LoggerFactory.getLogger(ReportAudit.class);

  private record Source(String orderUid, String node) {}

  private final Metrics metrics;

  /** How many were counted of the report of a node on an order. */
  private final Map<Source, Long> counted =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Source, Long> eldest) {
          return size() > REMEMBERED;
        }
      };

  ReportAudit(Metrics metrics) {
    this.metrics = metrics;
  }

  /** Checks the reports on an order for that gang; from any thread. */
  synchronized void look(JobKey job, List<PodView> pods, List<RestartView> reports) {
    for (RestartView report : reports) {
      long foreign = NodeReports.foreign(pods, report);
      Source source = new Source(report.spec().orderUid(), report.spec().node());
      long more = foreign - counted.getOrDefault(source, 0L);
      if (more > 0) {
        counted.put(source, foreign);
        metrics.foreign(more);
        LOG.atWarn()
            .addKeyValue(LogKey.JOB.key(), job)
            .addKeyValue(LogKey.REPORT.key(), report.name())
            .addKeyValue(LogKey.NODE.key(), report.spec().node())
            .addKeyValue(LogKey.PODS.key(), foreign)
            .log("Agent reports on pods of another node; ignored");
      }
    }
  }
}
