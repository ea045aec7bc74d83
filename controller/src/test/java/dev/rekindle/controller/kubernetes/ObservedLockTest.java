package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rekindle.controller.runtime.LeaseTerm;
import dev.rekindle.detect.SteadyClock;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaderElectionRecord;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.Lock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObservedLockTest {
  private static final Duration LEASE = Duration.ofSeconds(15);
  private static final ZonedDateTime NOON =
      ZonedDateTime.of(2026, 1, 1, 12, 0, 0, 0, ZoneOffset.UTC);

  private final KubernetesClient client = new KubernetesClientBuilder().build();
  private final AtomicLong seconds = new AtomicLong();
  private final AtomicInteger taken = new AtomicInteger();
  private final Stored stored = new Stored();
  private long wallIsAheadBy;
  private final SteadyClock steady = SteadyClock.of(() -> seconds.get() * 1_000_000_000);
  private final LeaseTerm term = new LeaseTerm(steady, LEASE);
  private final ObservedLock lock =
      new ObservedLock(
          stored,
          steady,
          () -> NOON.plusSeconds(seconds.get() + wallIsAheadBy),
          taken::incrementAndGet,
          term,
          _ -> 0L);

  /** What the API server has. */
  private static final class Stored implements Lock {
    private @Nullable LeaderElectionRecord record;
    private final ArrayDeque<Runnable> troubles = new ArrayDeque<>();
    private int calls;

    /** What befalls the next call, before it is made. */
    private void meet() {
      calls++;
      Runnable trouble = troubles.poll();
      if (trouble != null) {
        trouble.run();
      }
    }

    @Override
    public @Nullable LeaderElectionRecord get(KubernetesClient client) {
      meet();
      return record;
    }

    @Override
    public void create(KubernetesClient client, LeaderElectionRecord made) {
      meet();
      record = made;
    }

    @Override
    public void update(KubernetesClient client, LeaderElectionRecord changed) {
      meet();
      record = changed;
    }

    @Override
    public String identity() {
      return "me";
    }

    @Override
    public String describe() {
      return "lease";
    }
  }

  private static LeaderElectionRecord renewed(String holder, ZonedDateTime at) {
    return new LeaderElectionRecord(holder, LEASE, NOON, at, 1);
  }

  /** As the elector asks. */
  private boolean isFree() {
    LeaderElectionRecord seen = Objects.requireNonNull(lock.get(client));
    return NOON.plusSeconds(seconds.get() + wallIsAheadBy)
        .isAfter(seen.getRenewTime().plus(seen.getLeaseDuration()));
  }

  @ParameterizedTest
  @ValueSource(longs = {-3_600, 0, 3_600, 86_400})
  void shouldTakeTheLeaseOfADeadLeaderWhateverItsClockSaid(long ahead) {
    stored.record = renewed("other", NOON.plusSeconds(ahead));

    assertThat(isFree()).isFalse();
    seconds.addAndGet(14);
    assertThat(isFree()).isFalse();
    seconds.addAndGet(2);
    assertThat(isFree()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(longs = {-3_600, 20, 3_600})
  void shouldLeaveTheLeaseOfALeaderThatRenewsWhateverTheOwnClockSays(long step) {
    for (int i = 0; i < 30; i++) {
      stored.record = renewed("other", NOON.plusSeconds(seconds.get()));
      wallIsAheadBy = i < 10 ? 0 : step;

      assertThat(isFree()).isFalse();
      seconds.addAndGet(2);
    }
  }

  @Test
  void shouldSayThatAnotherOneHasTakenIt() {
    lock.create(client, renewed("me", NOON));
    assertThat(lock.get(client)).isNotNull();
    assertThat(taken).hasValue(0);

    stored.record = renewed("other", NOON);
    assertThat(lock.get(client)).isNotNull();
    assertThat(lock.get(client)).isNotNull();

    assertThat(taken).hasValue(1);
  }

  @Test
  void shouldHoldTheLeaseForItsDurationAfterEachRenewal() {
    lock.update(client, renewed("other", NOON));
    seconds.addAndGet(20);
    assertThat(term.isOver()).isFalse();

    lock.create(client, renewed("me", NOON));
    seconds.addAndGet(14);
    assertThat(term.isOver()).isFalse();
    lock.update(client, renewed("me", NOON));
    seconds.addAndGet(14);
    assertThat(term.isOver()).isFalse();
    seconds.addAndGet(1);
    assertThat(term.isOver()).isTrue();
  }

  /** A process that stood still renews a lease that none has taken, and acts on old watches. */
  @ParameterizedTest
  @ValueSource(longs = {-3_600, 0, 3_600})
  void shouldNotRenewALeaseThatHasRunOut(long wallStep) {
    lock.create(client, renewed("me", NOON));
    seconds.addAndGet(15);
    wallIsAheadBy = wallStep;

    assertThat(lock.get(client)).isNotNull();
    assertThatExceptionOfType(KubernetesClientException.class)
        .isThrownBy(() -> lock.update(client, renewed("me", NOON.plusSeconds(15))));
    assertThat(taken).hasValue(1);
    assertThat(term.isOver()).isTrue();
    assertThat(Objects.requireNonNull(stored.record).getRenewTime()).isEqualTo(NOON);
  }

  @Test
  void shouldGiveUpALeaseThatHasRunOut() {
    lock.create(client, renewed("me", NOON));
    seconds.addAndGet(60);
    lock.update(client, renewed("", NOON.plusSeconds(60)));
    assertThat(Objects.requireNonNull(stored.record).getHolderIdentity()).isEmpty();
    assertThat(taken).hasValue(0);
  }

  @Test
  void shouldNotCallItTakenThatOneStandsBy() {
    stored.record = renewed("other", NOON);

    assertThat(lock.get(client)).isNotNull();
    assertThat(taken).hasValue(0);
  }

  private static Runnable answered(int status) {
    return () -> {
      throw new KubernetesClientException("no", status, null);
    };
  }

  /** The elector tries but a few times until its deadline. */
  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 500, 503})
  void shouldMakeACallAgainAtOnceWhileTheApiServerHasTrouble(int status) {
    lock.create(client, renewed("me", NOON));
    seconds.addAndGet(10);
    for (int i = 0; i < 2; i++) {
      stored.troubles.add(answered(status));
      stored.troubles.add(answered(status));
      stored.troubles.add(() -> {});
    }

    assertThat(lock.get(client)).isNotNull();
    lock.update(client, renewed("me", NOON.plusSeconds(10)));
    seconds.addAndGet(14);
    assertThat(term.isOver()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {403, 409, 429})
  void shouldTakeARefusalForAnAnswer(int status) {
    stored.troubles.add(answered(status));

    assertThatExceptionOfType(KubernetesClientException.class)
        .isThrownBy(() -> lock.update(client, renewed("me", NOON)));
    assertThat(stored.calls).isEqualTo(1);
  }

  @Test
  void shouldNotRenewALeaseThatRunsOutWhileACallIsMadeAgain() {
    lock.create(client, renewed("me", NOON));
    stored.troubles.add(
        () -> {
          seconds.addAndGet(15);
          answered(0).run();
        });

    assertThatExceptionOfType(KubernetesClientException.class)
        .isThrownBy(() -> lock.update(client, renewed("me", NOON.plusSeconds(1))));
    assertThat(taken).hasValue(1);
    assertThat(Objects.requireNonNull(stored.record).getRenewTime()).isEqualTo(NOON);
  }
}
