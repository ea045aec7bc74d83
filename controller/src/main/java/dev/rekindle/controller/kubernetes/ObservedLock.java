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
 */
final class ObservedLock implements Lock {
  private static final Logger LOG = LoggerFactory.getLogger(ObservedLock.class);

  private final Lock lock;
  private final Silence silence;
  private final Supplier<ZonedDateTime> wall;
  private final Runnable taken;
  private final LeaseTerm term;
  private boolean held;

  /**
   * @param wall the clock that the elector goes by
   * @param taken called when another one holds what this process has held, or may have held it in
   *     between: whatever its clock says of its deadline, it leads no more
   * @param term learns of each renewal
   */
  ObservedLock(
      Lock lock, SteadyClock steady, Supplier<ZonedDateTime> wall, Runnable taken, LeaseTerm term) {
    this.term = term;
    this.lock = lock;
    this.silence = new Silence(steady);
    this.wall = wall;
    this.taken = taken;
  }

  @Override
  public synchronized @Nullable LeaderElectionRecord get(KubernetesClient client) {
    LeaderElectionRecord stored;
    try {
      stored = lock.get(client);
    } catch (KubernetesClientException error) {
      throw logged("get", error);
    }
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
    try {
      lock.create(client, record);
    } catch (KubernetesClientException error) {
      throw logged("create", error);
    }
    held = true;
    term.renewed(sent);
  }

  @Override
  public synchronized void update(KubernetesClient client, LeaderElectionRecord record) {
    boolean renews = identity().equals(record.getHolderIdentity());
    if (held && renews && term.isOver()) {
      // It stood still for longer than the lease lasts. What its watches have shown is of before,
      // and a renewal would let it act on that.
      held = false;
      taken.run();
      throw new KubernetesClientException("the lease ran out before this renewal");
    }
    Instant sent = term.now();
    try {
      lock.update(client, record);
    } catch (KubernetesClientException error) {
      throw logged("update", error);
    }
    held = renews;
    if (held) {
      term.renewed(sent);
    }
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
