package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a flood of tokens costs the API server, and those whose tokens are valid. */
class AccessTest {
  private static final ConsoleConfig CONFIG = new ConsoleConfig(30, 100, 256, 64, 200, 20, 600);

  private final AtomicLong nanos = new AtomicLong();
  private final StubCluster cluster = new StubCluster();
  private final Access access = new Access(cluster.client(), CONFIG, nanos::get);

  private void flood(int tokens) {
    for (int i = 0; i < tokens; i++) {
      String token = "unknown-" + nanos + "-" + i;
      try {
        assertThat(access.visitor(token)).isEmpty();
      } catch (Refused refused) {
        assertThat(refused.why()).isEqualTo(Refused.Why.BUSY);
      }
    }
  }

  @Test
  void shouldSendTheApiServerFewTokensOfAFlood() {
    flood(500);
    assertThat(cluster.reviews()).isEqualTo(Access.NEW_TOKENS);

    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    flood(500);
    assertThat(cluster.reviews()).isEqualTo(2 * Access.NEW_TOKENS);
  }

  @Test
  void shouldReviewAgainATokenThatWasValidBefore() {
    assertThat(access.visitor("alice")).isPresent();
    for (int second = 0; second < 10; second++) {
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
      flood(50);
    }

    int before = cluster.reviews();
    assertThat(access.visitor("alice")).isPresent();
    assertThat(cluster.reviews()).as("its answer was driven out").isEqualTo(before + 1);
    assertThatThrownBy(() -> access.visitor("bob"))
        .isInstanceOfSatisfying(
            Refused.class, refused -> assertThat(refused.why()).isEqualTo(Refused.Why.BUSY));
  }
}
