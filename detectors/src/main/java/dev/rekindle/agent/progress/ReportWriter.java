package dev.rekindle.agent.progress;

import dev.rekindle.api.RankReport;
import dev.rekindle.api.RankReportSpec;
import dev.rekindle.api.RankReportStatus;
import dev.rekindle.api.RankReportStatus.Pace;
import dev.rekindle.api.ReportName;
import dev.rekindle.detect.pod.TrainingPod;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes RankReports. Used by one thread. */
public final class ReportWriter {
  private static final Pace NO_PACE = new Pace(0, 0, 0, 0, 0, 0, false);

  private final KubernetesClient client;
  private final String node;

  /** The objects as last written, by the UID of their pod: a write needs their version. */
  private final Map<String, RankReport> stored = new HashMap<>();

  /** What an agent before this one has measured of a pod, by its UID. */
  private final Map<String, Pace> former = new HashMap<>();

  /** Writes for that node. */
  public ReportWriter(KubernetesClient client, String node) {
    this.client = client;
    this.node = node;
  }

  /**
   * Writes a report; creates it when there is none.
   *
   * @throws KubernetesClientException when it cannot be written now
   */
  void write(TrainingPod pod, RankReportStatus status) {
    var report = stored.remove(pod.uid());
    if (report == null) {
      report = getOrCreate(pod);
    }
    var before = report.getStatus();
    var kept =
        withSaves(
            before,
            withLoadError(
                before, withAsked(before, withTransport(before, withSteps(before, status)))));
    report.setStatus(withFormerPace(pod, kept));
    stored.put(pod.uid(), client.resource(report).updateStatus());
  }

  /**
   * What this run of the container has requested stays said: the agent may have been started again
   * since, and have read less of the log.
   */
  private static RankReportStatus withAsked(
      @Nullable RankReportStatus before, RankReportStatus status) {
    return before == null
            || before.asked() == null
            || status.asked() != null
            || before.restartCount() != status.restartCount()
        ? status
        : status.withAsked(before.asked());
  }

  /**
   * So do its steps, until this agent has seen one: a report without a step would say that none was
   * made.
   */
  private static RankReportStatus withSteps(
      @Nullable RankReportStatus before, RankReportStatus status) {
    return before == null
            || before.restartCount() != status.restartCount()
            || status.lastStep() != null
        ? status
        : status.with(
            b ->
                b.firstStep(before.firstStep())
                    .firstStepTime(before.firstStepTime())
                    .lastStep(before.lastStep())
                    .lastStepTime(before.lastStepTime()));
  }

  /** So does its network, which is named once, when it begins. */
  private static RankReportStatus withTransport(
      @Nullable RankReportStatus before, RankReportStatus status) {
    return before == null
            || before.transport() == null
            || status.transport() != null
            || before.restartCount() != status.restartCount()
        ? status
        : status.withTransport(before.transport());
  }

  /** So does what kept an earlier run from its first step, until one is made. */
  private static RankReportStatus withLoadError(
      @Nullable RankReportStatus before, RankReportStatus status) {
    return before == null
            || before.loadError() == null
            || status.loadError() != null
            || status.firstStep() != null
        ? status
        : status.withLoadError(before.loadError());
  }

  /** So does the rhythm of its saves, until the agent has seen as much of it. */
  private static RankReportStatus withSaves(
      @Nullable RankReportStatus before, RankReportStatus status) {
    var known = before == null ? null : before.saves();
    return before == null || known == null
        ? status
        : status.withSaves(
            SaveRhythm.goingOn(
                known, status.saves(), before.restartCount() == status.restartCount()));
  }

  /** A pause that an earlier agent has seen may come again. */
  private RankReportStatus withFormerPace(TrainingPod pod, RankReportStatus status) {
    var before = former.get(pod.uid());
    var pace = status.pace();
    if (before == null || pace == null) {
      return status;
    }
    return status.withPace(
        new Pace(
            pace.intervals(),
            pace.ofThisRun(),
            pace.p99Millis(),
            Math.max(before.longestMillis(), pace.longestMillis()),
            before.trainedSeconds() + pace.trainedSeconds(),
            pace.stoodSeconds(),
            pace.pausing()));
  }

  private String name(TrainingPod pod) {
    return ReportName.ofPod(pod.name(), pod.uid(), node);
  }

  private RankReport getOrCreate(TrainingPod pod) {
    var existing =
        client.resources(RankReport.class).inNamespace(pod.namespace()).withName(name(pod)).get();
    var status = existing == null ? null : existing.getStatus();
    var pace = status == null ? null : status.pace();
    // Only what was there before this agent wrote anything: else its own would count twice.
    former.putIfAbsent(pod.uid(), pace == null ? NO_PACE : pace);
    if (existing != null) {
      return existing;
    }
    var report = new RankReport();
    report.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(pod.namespace())
            .withName(name(pod))
            .addNewOwnerReference()
            .withApiVersion("v1")
            .withKind("Pod")
            .withName(pod.name())
            .withUid(pod.uid())
            .endOwnerReference()
            .build());
    report.setSpec(new RankReportSpec(pod.name(), pod.uid(), node, pod.job()));
    return client.resource(report).create();
  }

  /** Forgets the reports of all pods but these. */
  void keep(Set<String> uids) {
    stored.keySet().retainAll(uids);
    former.keySet().retainAll(uids);
  }
}
