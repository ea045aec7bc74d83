package dev.rekindle.controller.recovery;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.diagnosis.JobVerdicts;
import dev.rekindle.controller.diagnosis.Verdict;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates recoveries and writes their first status: the cause, and the nodes of the gang. Between
 * the two the process may die; the next leader begins such a recovery again.
 */
final class RecoveryOpener {
  private static final Logger LOG = LoggerFactory.getLogger(RecoveryOpener.class);

  /** Silent nodes that are asked after; one question each. */
  private static final int MAX_LEASES = 4;

  private final ClusterState state;
  private final ClusterGateway gateway;
  private final Metrics metrics;
  private final InstantSource clock;
  private final JobFacts facts;
  private final RecoveryWriter writer;
  private final RecoverySteps steps;

  RecoveryOpener(
      ClusterState state,
      ClusterGateway gateway,
      Metrics metrics,
      InstantSource clock,
      JobFacts facts,
      RecoveryWriter writer,
      RecoverySteps steps) {
    this.state = state;
    this.gateway = gateway;
    this.metrics = metrics;
    this.clock = clock;
    this.facts = facts;
    this.writer = writer;
    this.steps = steps;
  }

  /**
   * Creates a recovery of the job and advances it.
   *
   * @return when to reconcile it again; empty when the API server does not store it
   */
  Optional<Duration> open(JobKey key, JobView job, Cause cause, Instant now) {
    String name = RecoveryNames.next(job, facts.podsOf(job), state.recoveries(key));
    RecoverySpec spec = new RecoverySpec(JobRef.pyTorchJob(key.name(), job.uid()), now, null);
    RecoveryView draft = new RecoveryView(key.namespace(), name, "", "", spec, null);
    RecoveryView created = writer.create(key, job, draft).orElse(null);
    if (created == null) {
      return Optional.empty();
    }
    metrics.recoveries().opened(cause.reason());
    LOG.atInfo()
        .addKeyValue(LogKey.JOB.key(), key)
        .addKeyValue(LogKey.RECOVERY.key(), created.name())
        .addKeyValue(LogKey.REASON.key(), cause.reason())
        .addKeyValue(LogKey.DETAIL.key(), cause.message())
        .log("Recovery opened");
    return created.status() == null
        ? begin(key, created, withLeases(cause, now))
        : steps.advance(key, created);
  }

  /** A silent node's lease says how long its kubelet has been gone; requested only here. */
  private Cause withLeases(Cause cause, Instant now) {
    Map<String, Instant> renewed = new TreeMap<>();
    cause.silentNodes().stream()
        .limit(MAX_LEASES)
        .forEach(node -> gateway.lease(node).ifPresent(at -> renewed.put(node, at)));
    return RecoveryStatusBuilder.withLeases(cause, renewed, now);
  }

  /**
   * A recovery without a status: its process died between creating it and writing why. The facts
   * are asked again.
   */
  Optional<Duration> begin(JobKey key, RecoveryView recovery) {
    Optional<Verdict> verdict = facts.jobOf(recovery).map(ruled -> anew(ruled, recovery));
    Cause cause = UnstartedRecovery.cause(verdict);
    if (verdict.isPresent() && verdict.get() instanceof Verdict.Recover) {
      return begin(key, recovery, cause);
    }
    RecoveryStatus status = RecoveryStatusBuilder.begin(cause, List.of(), clock.instant());
    RecoveryStatus over =
        RecoveryStatusBuilder.enter(
            status, RecoveryPhase.CANCELLED, cause.message(), clock.instant());
    var _ = writer.save(key, recovery.with(over));
    return Optional.of(Duration.ZERO);
  }

  /** The verdict on the job as if the recovery were not there. */
  private Verdict anew(RuledJob ruled, RecoveryView recovery) {
    JobSnapshot snapshot = facts.snapshot(ruled.job());
    JobSnapshot without =
        new JobSnapshot(
            ruled.job(),
            snapshot.pods(),
            snapshot.nodes(),
            snapshot.faults(),
            snapshot.ranks(),
            snapshot.recoveries().stream().filter(r -> !r.name().equals(recovery.name())).toList());
    return JobVerdicts.decide(without, ruled.policy(), clock.instant());
  }

  private Optional<Duration> begin(JobKey key, RecoveryView recovery, Cause cause) {
    List<String> nodes = facts.jobOf(recovery).map(r -> facts.nodesOf(r.job())).orElse(List.of());
    Instant at = Objects.requireNonNullElse(recovery.spec().detectedAt(), clock.instant());
    var note = new Decision.Note(Reason.RECOVERY_STARTED, cause.message(), "");
    RecoveryStatus status =
        RecoveryStatusBuilder.withEvents(
            RecoveryStatusBuilder.begin(cause, nodes, at), List.of(note), clock.instant());
    RecoveryView stored = writer.save(key, recovery.with(status));
    writer.recordEvent(key, stored, note);
    return steps.advance(key, stored);
  }
}
