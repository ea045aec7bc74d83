package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a lease is renewed. */
class LeaseRenewalTest extends ObservedLockFixture {
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
