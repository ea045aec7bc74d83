package dev.rekindle.simulator.drill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AgentTallyTest {
  private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

  private final AgentTally tally = new AgentTally();

  @Test
  void shouldSayHowManyAreFrozenOnceNoMoreReportsCome() {
    assertThat(tally.observe(T0, reports(State.FROZEN))).isEmpty();
    assertThat(tally.observe(T0.plusMillis(400), reports(State.FROZEN, State.FROZEN))).isEmpty();
    assertThat(tally.observe(T0.plusMillis(800), reports(State.FROZEN, State.FROZEN))).isEmpty();
    assertThat(tally.observe(T0.plusMillis(900), reports(State.FROZEN, State.FROZEN)))
        .contains("agents keep 2 containers frozen");
    assertThat(tally.observe(T0.plusMillis(5000), reports(State.FROZEN, State.FROZEN))).isEmpty();
  }

  @Test
  void shouldSayHowManyWereRestartedAndNotHowManyAreStillFrozen() {
    var _ = tally.observe(T0, reports(State.FROZEN, State.FROZEN));
    var _ = tally.observe(T0.plusMillis(500), reports(State.FROZEN, State.FROZEN));
    assertThat(tally.observe(T0.plusMillis(600), reports(State.FROZEN, State.KILLED))).isEmpty();
    assertThat(tally.observe(T0.plusMillis(1200), reports(State.FROZEN, State.KILLED))).isEmpty();
    assertThat(tally.observe(T0.plusMillis(1300), reports(State.RESTARTED, State.FROZEN)))
        .isEmpty();
    assertThat(tally.observe(T0.plusMillis(1800), reports(State.RESTARTED, State.FROZEN)))
        .contains("agents have seen 1 containers start again in place");
  }

  @Test
  void shouldSayNothingWhenTheReportsGo() {
    var _ = tally.observe(T0, reports(State.FROZEN));
    var _ = tally.observe(T0.plusMillis(500), reports(State.FROZEN));
    assertThat(tally.observe(T0.plusMillis(600), reports())).isEmpty();
    assertThat(tally.observe(T0.plusMillis(9000), reports())).isEmpty();
  }

  private static List<RestartReportSpec> reports(State... states) {
    return Stream.of(states)
        .map(
            state ->
                new RestartReportSpec(
                    "llm-r1-1",
                    "uid",
                    "node",
                    "llm",
                    null,
                    "",
                    List.of(new PodRestart("llm-worker-0", "uid", "c", 0, "cgroup-v2", state)),
                    T0))
        .toList();
  }
}
