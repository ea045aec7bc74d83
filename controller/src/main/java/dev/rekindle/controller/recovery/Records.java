package dev.rekindle.controller.recovery;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.diagnosis.Verdict;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.HistoryLimits;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes Recoveries in which nothing was done, and deletes old Recoveries. */
final class Records {
  private static final Logger LOG = LoggerFactory.getLogger(Records.class);

  /** Deletions by one reconcile: it is to be short, and the next one continues. */
  private static final int AT_ONCE = 8;

  /** Before the next deletions. */
  private static final Duration GO_ON = Duration.ofSeconds(1);

  private final ClusterGateway gateway;
  private final ClusterState state;
  private final Metrics metrics;
  private final HistoryLimits limits;

  Records(ClusterState state, ClusterGateway gateway, Metrics metrics, HistoryLimits limits) {
    this.state = state;
    this.gateway = gateway;
    this.metrics = metrics;
    this.limits = limits;
  }

  /**
   * Writes down what the kubelets did without us, as a recovery that is over at once; where the
   * newest one says the same already, there.
   *
   * @param all recoveries of any job of that name
   * @return what was written; empty where nothing was
   */
  Optional<RecoveryView> write(
      JobView job,
      List<PodView> pods,
      List<RecoveryView> all,
      Verdict.SelfRecovered back,
      Instant now) {
    List<RecoveryView> own = all.stream().filter(r -> r.spec().jobUid().equals(job.uid())).toList();
    Optional<RecoveryView> before = EndedRecoveries.toCountAgain(job, own, now);
    if (before.isPresent()) {
      RecoveryStatus counted = Objects.requireNonNull(before.get().status());
      return Optional.of(
          store(
              job,
              before.get(),
              RecoveryStatusBuilder.cameBackAgain(counted, back, job.gpus(), now),
              now));
    }
    String name = RecoveryNames.next(job, pods, all);
    RecoverySpec spec =
        new RecoverySpec(JobRef.pyTorchJob(job.key().name(), job.uid()), back.ended(), null);
    RecoveryView created =
        gateway.open(new RecoveryView(job.key().namespace(), name, "", "", spec, null));
    if (created.status() != null) {
      return Optional.empty();
    }
    List<String> nodes =
        pods.stream().map(PodView::node).filter(n -> !n.isEmpty()).distinct().sorted().toList();
    return Optional.of(
        store(job, created, RecoveryStatusBuilder.cameBack(back, nodes, job.gpus(), now), now));
  }

  private RecoveryView store(JobView job, RecoveryView recovery, RecoveryStatus over, Instant now) {
    String detail = over.timeline().getLast().detail();
    var note = new Decision.Note(Reason.SELF_RECOVERED, detail, "");
    RecoveryView stored =
        gateway.save(recovery.with(RecoveryStatusBuilder.withEvents(over, List.of(note), now)));
    String cause = over.cause() == null ? "None" : over.cause().reason();
    metrics.recoveries().opened(cause);
    metrics.recoveries().ended(cause, RecoveryPhase.RECOVERED);
    LOG.atInfo()
        .addKeyValue(LogKey.JOB.key(), job.key())
        .addKeyValue(LogKey.RECOVERY.key(), stored.name())
        .addKeyValue(LogKey.DETAIL.key(), detail)
        .log("Job came back by itself");
    gateway.recordEvent(
        new ClusterEvent(
            job.key(), job.uid(), Reason.SELF_RECOVERED, stored.name() + ": " + detail, ""));
    return stored;
  }

  /**
   * Deletes what there is too much of, of jobs that are gone: of that name, and of the namespace.
   *
   * @return when to reconcile again; empty where nothing is left of jobs of that name that are gone
   */
  Optional<Duration> collectFormer(JobKey key, Instant now) {
    if (state.recoveries(key).stream().noneMatch(this::isFormer)) {
      return Optional.empty();
    }
    List<RecoveryView> former =
        state.recoveriesIn(key.namespace()).stream().filter(this::isFormer).toList();
    List<RecoveryView> superfluous = FormerRecoveries.superfluous(key, former, limits, now);
    remove(key, superfluous);
    return superfluous.size() > AT_ONCE
        ? Optional.of(GO_ON)
        : FormerRecoveries.again(key, former, limits, now);
  }

  /** Whether it is over and its job is gone, or another of the same name. */
  private boolean isFormer(RecoveryView recovery) {
    return !recovery.open()
        && state
            .job(recovery.job())
            .filter(job -> job.uid().equals(recovery.spec().jobUid()))
            .isEmpty();
  }

  /**
   * Deletes recoveries that nothing requests any more. What cannot be deleted stays: nothing else
   * waits for it.
   *
   * @param recoveries of exactly this job
   */
  void collect(JobView job, List<RecoveryView> recoveries, Policy policy, Instant now) {
    remove(job.key(), EndedRecoveries.superfluous(job, recoveries, policy, now));
  }

  private void remove(JobKey key, List<RecoveryView> superfluous) {
    try {
      superfluous.stream().limit(AT_ONCE).forEach(gateway::remove);
    } catch (ClusterGateway.CallException | ClusterGateway.StaleException notNow) {
      LOG.atWarn()
          .addKeyValue(LogKey.JOB.key(), key)
          .addKeyValue(LogKey.ERROR.key(), notNow.getMessage())
          .log("Cannot delete old Recoveries of a job; retrying later");
    }
  }
}
