package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.runtime.LeaseTerm;
import dev.rekindle.controller.runtime.Silence;
import dev.rekindle.detect.ApiErrors;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaderElectionRecord;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.Lock;
import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.net.HttpURLConnection;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lock whose holder is silent for as long as this process has seen its record unchanged, as in
 * client-go. The elector compares the time in the record with its own clock: a leader whose clock
 * is an hour ahead, and dies, would leave a lease that no other may take for an hour, and a standby
 * whose clock is ahead would take a lease that is renewed. A holder whose lease has run out renews
 * it no more, also where no other has taken it.
 *
 * <p>A call that got no answer, or 5xx, is made again a moment later, as all other calls are: the
 * elector tries but a few times until its deadline, each time with two calls that must both
 * succeed, and a process that loses the lease has to end. A renewal that took effect unheard is
 * answered by a conflict, and the next try of the elector finds it.
 */
final class ObservedLock implements Lock {
  private static final Logger LOG = LoggerFactory.getLogger(ObservedLock.class);

  private final Lock lock;
  private final Silence silence;
  private final Supplier<ZonedDateTime> wall;
  private final Runnable taken;
  private final LeaseTerm term;
  private final Retry retry;
  private final TimeLimit limit = TimeLimit.ofCalls();
  private boolean held;

  /**
   * @param wall the clock that the elector uses
   * @param taken called when another one holds what this process has held, or may have held it in
   *     between: whatever its clock says of its deadline, it leads no more
   * @param term learns of each renewal
   * @param pauses how long to wait before a call is made again
   */
  ObservedLock(
      Lock lock,
      SteadyClock steady,
      Supplier<ZonedDateTime> wall,
      Runnable taken,
      LeaseTerm term,
      IntervalFunction pauses) {
    this.retry =
        Retry.of(
            "leases",
            RetryConfig.custom()
                .maxAttempts(ApiCalls.TRIES)
                .intervalFunction(pauses)
                .retryOnException(ApiCalls::serverInTrouble)
                .build());
    this.term = term;
    this.lock = lock;
    this.silence = new Silence(steady);
    this.wall = wall;
    this.taken = taken;
  }

  @Override
  public synchronized @Nullable LeaderElectionRecord get(KubernetesClient client) {
    LeaderElectionRecord stored = call("get", () -> lock.get(client));
    if (stored == null) {
      return null;
    }
    String holder = stored.getHolderIdentity();
    if (held && holder != null && !holder.isEmpty() && !holder.equals(identity())) {
      held = false;
      taken.run();
    }
    return new LeaderElectionRecord(
        holder,
        stored.getLeaseDuration(),
        stored.getAcquireTime(),
        wall.get().minus(silence.of(stored)),
        stored.getLeaderTransitions());
  }

  @Override
  public synchronized void create(KubernetesClient client, LeaderElectionRecord record) {
    Instant sent = term.now();
    run("create", () -> lock.create(client, record));
    held = true;
    term.renewed(sent);
  }

  @Override
  public synchronized void update(KubernetesClient client, LeaderElectionRecord record) {
    boolean renews = identity().equals(record.getHolderIdentity());
    Instant sent = term.now();
    run(
        "update",
        () -> {
          if (held && renews && term.isOver()) {
            // It stood still for longer than the lease lasts. What its watches have shown is of
            // before, and a renewal would let it act on that.
            held = false;
            taken.run();
            throw new KubernetesClientException(
                "the lease ran out before this renewal", HttpURLConnection.HTTP_CONFLICT, null);
          }
          lock.update(client, record);
        });
    held = renews;
    if (held) {
      term.renewed(sent);
    }
  }

  private void run(String call, Runnable attempt) {
    var _ =
        call(
            call,
            () -> {
              attempt.run();
              return null;
            });
  }

  private @Nullable LeaderElectionRecord call(
      String call, Supplier<@Nullable LeaderElectionRecord> attempt) {
    return retry.executeSupplier(
        () -> {
          try {
            return limit.within(attempt);
          } catch (KubernetesClientException error) {
            throw logged(call, error);
          }
        });
  }

  /** The elector logs each failure with a stack trace, which is switched off. */
  private KubernetesClientException logged(String call, KubernetesClientException error) {
    // That two processes want the Lease is what it is for.
    if (error.getCode() != HttpURLConnection.HTTP_CONFLICT) {
      LOG.atWarn()
          .addKeyValue(LogKey.IDENTITY.key(), identity())
          .addKeyValue(LogKey.ACTION.key(), call)
          .addKeyValue(LogKey.STATUS.key(), ApiErrors.status(error))
          .addKeyValue(LogKey.ERROR.key(), error.getMessage())
          .log("Lease call failed; retrying");
    }
    return error;
  }

  @Override
  public String identity() {
    return lock.identity();
  }

  @Override
  public String describe() {
    return lock.describe();
  }
}
