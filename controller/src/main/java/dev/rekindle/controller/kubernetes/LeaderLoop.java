package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.runtime.LeaseTerm;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfig;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectorBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands for election over a Lease. Leads at most once: a process that has lost the lease does not
 * know what a successor has begun, so it has to end.
 */
public final class LeaderLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderLoop.class);
  static final String LEASE = "rekindle-controller";

  /**
   * The lease.
   *
   * @param namespace where it lives
   * @param identity who stands for election: the pod name
   * @param duration how long others wait for a silent leader
   * @param renewDeadline after how long without renewal a leader steps down; less than the duration
   * @param retryPeriod pause between tries
   */
  public record Terms(
      String namespace,
      String identity,
      Duration duration,
      Duration renewDeadline,
      Duration retryPeriod) {}

  private final KubernetesClient client;
  private final Terms terms;
  private final Executor executor;
  private final Runnable elected;
  private final Runnable lost;
  private final LeaseTerm term;
  private volatile boolean leading;
  private volatile boolean closed;
  private @Nullable CompletableFuture<?> election;

  /**
   * @param elected called once on becoming the leader
   * @param lost called when leadership, or the chance of it, is gone for good and {@link #close}
   *     was not requested
   * @param term learns of each renewal
   */
  public LeaderLoop(
      KubernetesClient client,
      Terms terms,
      Executor executor,
      Runnable elected,
      Runnable lost,
      LeaseTerm term) {
    this.term = term;
    this.client = client;
    this.terms = terms;
    this.executor = executor;
    this.elected = elected;
    this.lost = lost;
  }

  /** Starts to stand for election; returns at once. */
  public synchronized void start() {
    LeaderElectionConfig config =
        new LeaderElectionConfigBuilder()
            .withName(LEASE)
            .withLock(
                new ObservedLock(
                    new LeaseLock(terms.namespace(), LEASE, terms.identity()),
                    SteadyClock.system(),
                    () -> ZonedDateTime.now(ZoneOffset.UTC),
                    this::over,
                    term,
                    ApiCalls.PAUSES))
            .withLeaseDuration(terms.duration())
            .withRenewDeadline(terms.renewDeadline())
            .withRetryPeriod(terms.retryPeriod())
            .withReleaseOnCancel(true)
            .withLeaderCallbacks(
                new LeaderCallbacks(this::startLeading, this::over, this::leaderSeen))
            .build();
    CompletableFuture<?> started =
        new LeaderElectorBuilder(client, executor).withConfig(config).build().start();
    election = started;
    var _ =
        started.whenComplete(
            (_, error) -> {
              if (error != null && !closed) {
                LOG.atError()
                    .addKeyValue(LogKey.ERROR.key(), error.toString())
                    .log("Leader election failed");
              }
              over();
            });
  }

  /** Whether this process leads. */
  public boolean leading() {
    return leading;
  }

  private void startLeading() {
    leading = true;
    LOG.atInfo().addKeyValue(LogKey.IDENTITY.key(), terms.identity()).log("Leading");
    elected.run();
  }

  private void over() {
    leading = false;
    if (!closed) {
      LOG.atError()
          .addKeyValue(LogKey.IDENTITY.key(), terms.identity())
          .log("No longer standing for leader");
      lost.run();
    }
  }

  private void leaderSeen(@Nullable String leader) {
    LOG.atInfo().addKeyValue(LogKey.IDENTITY.key(), leader).log("Leader seen");
  }

  /** Steps down and gives the lease up, so that a successor need not wait for it to run out. */
  @Override
  public synchronized void close() {
    closed = true;
    if (election != null) {
      election.cancel(true);
    }
  }
}
