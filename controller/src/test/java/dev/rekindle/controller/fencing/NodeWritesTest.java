package dev.rekindle.controller.fencing;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pauses between writes on nodes that fail. */
class NodeWritesTest extends NodeWritesFixture {
  @Test
  void shouldAskWithGrowingPausesAndSayWhatLasts() {
    List<Duration> pauses = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      assertThat(
              writes.ask(
                  "n",
                  "cordon",
                  () -> {
                    throw forbidden;
                  }))
          .isFalse();
      assertThat(writes.ask("n", "cordon", () -> calls.add("too soon"))).isFalse();
      Duration pause = writes.again("n").orElseThrow();
      pauses.add(pause);
      now = now.plus(pause);
    }

    assertThat(calls).isEmpty();
    assertThat(pauses.stream().map(Duration::toSeconds))
        .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L);
    assertThat(said)
        .singleElement()
        .satisfies(a -> assertThat(a.reason()).isEqualTo(Reason.NODE_WRITE_REFUSED))
        .satisfies(a -> assertThat(a.node()).isEqualTo("n"))
        .satisfies(a -> assertThat(a.note()).contains("cordon: 403: admission webhook", "denied"));
    assertThat(writes.ask("n", "cordon", () -> calls.add("accepted"))).isTrue();
    assertThat(writes.again("n")).isEmpty();
    assertThat(calls).containsExactly("accepted");
  }

  @Test
  void shouldKeepNoOtherWriteAndNoOtherNodeWaiting() {
    assertThat(
            writes.ask(
                "n",
                "cordon",
                () -> {
                  throw forbidden;
                }))
        .isFalse();

    assertThat(writes.ask("n", "mark", () -> {})).isTrue();
    assertThat(writes.ask("m", "cordon", () -> {})).isTrue();
    assertThat(writes.again("m")).isEmpty();
  }

  @Test
  void shouldSayNothingOfAServerThatIsAwayForAMinuteAndAskItOften() {
    for (int i = 0; i < 8; i++) {
      var _ =
          writes.ask(
              "n",
              "cordon",
              () -> {
                throw new UnavailableException(503, "etcd elects", Duration.ZERO);
              });
      assertThat(writes.again("n").orElseThrow()).isLessThanOrEqualTo(Duration.ofSeconds(15));
      now = now.plus(writes.again("n").orElseThrow());
    }
    assertThat(said).isEmpty();
    assertThat(Duration.between(T0, now)).isLessThan(Duration.ofMinutes(3));
  }

  @Test
  void shouldWaitAsLongAsTheServerAsksButForAMinuteAtMost() {
    for (int seconds : List.of(20, 3600)) {
      var _ =
          writes.ask(
              "n" + seconds,
              "cordon",
              () -> {
                throw new UnavailableException(429, "too many", Duration.ofSeconds(seconds));
              });
    }

    assertThat(writes.again("n20")).contains(Duration.ofSeconds(20));
    assertThat(writes.again("n3600")).contains(Duration.ofMinutes(1));
  }

  @Test
  void shouldNotWaitForAClockThatWasSetBack() {
    var _ =
        writes.ask(
            "n",
            "cordon",
            () -> {
              throw forbidden;
            });
    now = now.minus(Duration.ofDays(1));

    assertThat(writes.ask("n", "cordon", () -> {})).isTrue();
  }
}
