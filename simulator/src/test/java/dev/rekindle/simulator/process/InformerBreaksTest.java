package dev.rekindle.simulator.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A watch that breaks, is paused or stopped. */
class InformerBreaksTest extends InformerFixture {
  @Test
  void shouldDeliverNothingWhileItsWatchIsBrokenAndThenListAgain() {
    create("b");
    runTo(200);
    delivered.clear();
    say("a", "on its way");
    informer.breakFor(Duration.ofSeconds(1), Duration.ZERO);
    say("b", "1");
    runTo(700);
    say("b", "2");
    runTo(1_199);
    assertThat(delivered).isEmpty();
    runTo(2_000);
    assertThat(delivered).containsExactly("1200 +a on its way", "1200 +b 2");
    say("a", "3");
    runTo(3_000);
    assertThat(delivered.getLast()).isEqualTo("2020 +a 3");
    assertThat(delivered).hasSize(3);
  }

  @Test
  void shouldFindOutWhatWasDeletedDuringTheBreak() {
    create("c");
    create("b");
    create("d");
    runTo(200);
    delivered.clear();
    informer.breakFor(Duration.ofSeconds(1), Duration.ZERO);
    source.delete("c", "", null);
    source.delete("b", "", null);
    create("never seen");
    source.delete("never seen", "", null);
    runTo(2_000);
    assertThat(delivered).containsExactly("1200 +a 0", "1200 +d 0", "1200 -b", "1200 -c");
  }

  @Test
  void shouldBeginAgainWithAListThatIsBehind() {
    create("b");
    runTo(200);
    delivered.clear();
    informer.breakFor(Duration.ofSeconds(1), Duration.ofMillis(500));
    runTo(600);
    say("a", "before");
    runTo(800);
    say("a", "unseen");
    source.delete("b", "", null);
    create("c");
    runTo(2_000);

    assertThat(delivered)
        .containsExactly("1200 +a before", "1200 +b 0", "1220 +a unseen", "1220 -b", "1220 +c 0");
  }

  @Test
  void shouldGoBackInTimeWhereTheListIsOlderThanWhatItHadReported() {
    runTo(1_000);
    say("a", "delivered before");
    runTo(1_100);
    delivered.clear();
    versions.clear();
    informer.breakFor(Duration.ofMillis(100), Duration.ofMillis(500));
    runTo(2_000);
    assertThat(delivered).containsExactly("1200 +a 0", "1220 +a delivered before");
    assertThat(versions).isSorted();
  }

  @Test
  void shouldDeliverNothingWhileItsProcessIsPaused() {
    delivered.clear();
    say("a", "1");
    paused = Duration.ofMillis(500);
    loop.after(Duration.ofMillis(100), () -> say("a", "2"));
    loop.after(Duration.ofMillis(519), () -> paused = Duration.ZERO);
    runTo(2_000);
    assertThat(delivered).containsExactly("620 +a 1", "620 +a 2");
  }

  @Test
  void shouldDeliverNothingOnceStopped() {
    delivered.clear();
    say("a", "1");
    informer.stop();
    say("a", "2");
    informer.breakFor(Duration.ZERO, Duration.ZERO);
    runTo(1_000);
    assertThat(delivered).isEmpty();
  }

  @Test
  void shouldStayStoppedWhereItsWatchWasBroken() {
    delivered.clear();
    informer.breakFor(Duration.ofMillis(100), Duration.ZERO);
    informer.stop();
    runTo(1_000);
    assertThat(delivered).isEmpty();
  }

  @Test
  void shouldBreakOnlyOnceAtATime() {
    delivered.clear();
    informer.breakFor(Duration.ofMillis(500), Duration.ZERO);
    informer.breakFor(Duration.ofMillis(100), Duration.ZERO);
    runTo(1_000);
    assertThat(delivered).containsExactly("600 +a 0");
  }
}
