package dev.rekindle.detect.restart;

import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReport;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.detect.ApiErrors;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads what was reported on an order before, and writes the RestartReport of this node. */
final class OrderReporter {
  private static final Logger LOG = LoggerFactory.getLogger(OrderReporter.class);

  private final String node;
  private final RestartReports reports;
  private final RestartJournal notes;
  private final InstantSource clock;
  private final InstantSource counted;
  private final RestartMetrics metrics;
  private final OrderEvidence evidence;

  OrderReporter(
      String node,
      RestartReports reports,
      RestartJournal notes,
      InstantSource clock,
      InstantSource counted,
      RestartMetrics metrics,
      OrderEvidence evidence) {
    this.node = node;
    this.reports = reports;
    this.notes = notes;
    this.clock = clock;
    this.counted = counted;
    this.metrics = metrics;
    this.evidence = evidence;
  }

  /**
   * Takes up what was reported before; says whether that is known.
   *
   * @param here the pods of this node, of any job
   */
  boolean recall(Order order, Collection<TrainingPod> here, OrderWork work, Instant now) {
    // With notes at hand nothing waits for the API server: a write that meets a report asks again.
    if (!work.toRead || (!notes.of(order.uid()).isEmpty() && !work.mayCall(now))) {
      return true;
    }
    if (!work.mayCall(now)) {
      return false;
    }
    try {
      var stored = reports.read(order);
      work.report = stored;
      work.toRead = false;
      if (stored != null) {
        work.problem = stored.getSpec().problem();
        for (var reported : stored.getSpec().pods()) {
          if (!notes.of(order.uid()).containsKey(reported.podUid())
              && isOfOrder(order, here, reported)) {
            notes.write(RestartDraft.recall(order, reported, now));
          }
        }
      }
      return true;
    } catch (KubernetesClientException | IOException e) {
      work.failed(now);
      LOG.atWarn()
          .addKeyValue(LogKey.ORDER.key(), order.name())
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("Cannot read the RestartReport of this node; retrying");
      return !notes.of(order.uid()).isEmpty();
    }
  }

  /**
   * Whether it is said of a pod of the gang and, if it may have to be killed or thawed, of the
   * container that this pod has. Others than this agent may be able to write a report, and would
   * have it kill what belongs to somebody else.
   */
  private static boolean isOfOrder(Order order, Collection<TrainingPod> here, PodRestart reported) {
    return here.stream()
        .filter(order::isFor)
        .filter(pod -> pod.uid().equals(reported.podUid()))
        .anyMatch(
            pod ->
                reported.state() != State.FROZEN
                    || pod.container().id().equals(reported.containerId()));
  }

  /** Writes a report where there is news, and the API server may be called. */
  void report(Order order, Collection<TrainingPod> here, OrderWork work) {
    var now = counted.instant();
    var before = work.report;
    var spec = before == null ? null : before.getSpec();
    var gang = order.concerned(here);
    var done =
        order.instruction() == RestartInstruction.LOOK
            ? evidence.inspected(order, gang)
            : RestartDraft.done(order, here, notes.of(order.uid()));
    if (spec != null && RestartDraft.isLater(spec.done(), done)) {
      done = spec.done();
    }
    var found = evidence.found(order, gang, spec);
    var report =
        new RestartReportSpec(
            order.name(),
            order.uid(),
            node,
            order.job(),
            done,
            work.problem,
            RestartDraft.pods(order, here, notes.of(order.uid())),
            clock.instant(),
            found.ranks(),
            found.leftOut());
    if (!RestartDraft.isNews(order, spec, report) || !work.mayCall(now)) {
      return;
    }
    try {
      work.report = write(order, before, report);
      work.succeeded();
    } catch (KubernetesClientException e) {
      work.failed(now);
      // It may have been written all the same, or by the agent before.
      work.toRead = true;
      metrics.writeFailed("RestartReport");
      LOG.atWarn()
          .addKeyValue(LogKey.ORDER.key(), order.name())
          .addKeyValue(LogKey.ERROR.key(), ApiErrors.describe(e))
          .log("Cannot write a RestartReport; retrying");
    }
  }

  private RestartReport write(Order order, @Nullable RestartReport before, RestartReportSpec spec) {
    var stored = reports.write(order, before, spec);
    if (spec.leftOut() > 0) {
      LOG.atWarn()
          .addKeyValue(LogKey.JOB.key(), order.namespace() + "/" + order.job())
          .addKeyValue(LogKey.ORDER.key(), order.name())
          .addKeyValue(LogKey.COUNT.key(), spec.leftOut())
          .log("More ranks on this node than a RestartReport holds: some are not shown");
    }
    LOG.atInfo()
        .addKeyValue(LogKey.JOB.key(), order.namespace() + "/" + order.job())
        .addKeyValue(LogKey.ORDER.key(), order.name())
        .addKeyValue(LogKey.ACTION.key(), spec.done())
        .addKeyValue(LogKey.COUNT.key(), spec.pods().size())
        .addKeyValue(LogKey.ERROR.key(), spec.problem())
        .log("RestartReport written");
    return stored;
  }
}
