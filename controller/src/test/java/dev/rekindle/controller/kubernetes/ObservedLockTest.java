package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who has the lease. */
class ObservedLockTest extends ObservedLockFixture {
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
  void shouldNotCallItTakenThatOneStandsBy() {
    stored.record = renewed("other", NOON);
    assertThat(lock.get(client)).isNotNull();
    assertThat(taken).hasValue(0);
  }
}
