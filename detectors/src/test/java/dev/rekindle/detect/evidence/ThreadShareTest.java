package dev.rekindle.detect.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ThreadShareTest {
  private final ThreadShare free = new ThreadShare(20, 4);

  private int takesAll(String namespace) {
    int taken = 0;
    while (free.take(namespace)) {
      taken++;
    }
    return taken;
  }

  @Test
  void shouldLeaveAsManyToOthersAsANamespaceTakes() {
    assertThat(takesAll("a")).isEqualTo(8);
    assertThat(takesAll("b")).isEqualTo(4);
    assertThat(takesAll("c")).isEqualTo(2);
    assertThat(takesAll("a")).isZero();
  }

  @Test
  void shouldKeepPlacesForNamespacesThatHaveNone() {
    for (int i = 0; i < 8; i++) {
      assertThat(takesAll("team-" + i)).as("namespace %d", i).isPositive();
    }
    assertThat(takesAll("another")).isEqualTo(1);
    assertThat(takesAll("one more")).isZero();
  }

  @Test
  void shouldLetANamespaceHaveMoreAgainWhenOthersGiveBack() {
    takesAll("a");
    takesAll("b");
    free.giveBack("a");
    assertThat(free.take("b")).isTrue();
    for (int i = 0; i < 7; i++) {
      free.giveBack("a");
    }
    for (int i = 0; i < 5; i++) {
      free.giveBack("b");
    }
    assertThat(takesAll("c")).isEqualTo(8);
  }
}
