package dev.rekindle.agent.restart;

import static dev.rekindle.api.RestartInstruction.RESTART_ALL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RestartReportSpec.State;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** For how long a gang may be frozen. */
class ThawTimeTest extends RestartFixture {

  @Test
  void shouldThawAndReportWhenTheTimeIsOver() {
    frozen();
    gang.now = Gang.ORDERED.plusSeconds(59);
    gang.round();
    assertThat(state("w1")).isEqualTo(FakeNode.State.FROZEN);
    gang.now = Gang.ORDERED.plusSeconds(60);
    gang.rounds(3);
    assertThat(state("w1")).isEqualTo(FakeNode.State.RUNS);
    assertThat(report().pods()).allMatch(pod -> pod.state() == State.THAWED);
    assertThat(gang.writes()).isEqualTo(2);
    gang.say(RESTART_ALL, LEADER);
    gang.rounds(3);
    assertThat(state("w1")).isEqualTo(FakeNode.State.RUNS);
    assertThat(report().problem()).contains("thawed");
    assertThat(gang.writes()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({"0, 60", "-3600, 60", "3600, 60", "0, -3600", "0, 7200", "3600, -3600"})
  void shouldHoldAsLongAsTheOrderSaysWhateverClocksSay(long step, long until) {
    gang.sayFreezeFor(Duration.ofSeconds(60), Gang.ORDERED.plusSeconds(until));
    gang.rounds(2);
    var begun = gang.now;
    assertThat(state("w1")).isEqualTo(FakeNode.State.FROZEN);
    gang.clockStep = Duration.ofSeconds(step);
    gang.now = begun.plusSeconds(58);
    gang.rounds(2);
    assertThat(state("w1")).isEqualTo(FakeNode.State.FROZEN);
    gang.now = begun.plusSeconds(61);
    gang.rounds(3);
    assertThat(state("w1")).isEqualTo(FakeNode.State.RUNS);
    assertThat(report().pods()).allMatch(pod -> pod.state() == State.THAWED);
  }

  @Test
  void shouldCountOnWhatAnEarlierProcessHasCounted() {
    gang.sayFreezeFor(Duration.ofSeconds(60), Gang.ORDERED.plusSeconds(7200));
    gang.rounds(2);
    gang.now = gang.now.plusSeconds(40);
    gang.restartAgent();
    gang.rounds(2);
    assertThat(state("w1")).isEqualTo(FakeNode.State.FROZEN);
    gang.now = gang.now.plusSeconds(21);
    gang.rounds(3);
    assertThat(state("w1")).isEqualTo(FakeNode.State.RUNS);
  }

  /** The clock was set back while no agent was there to count. */
  @Test
  void shouldHoldNoLongerThanTheOrderLastsWhereTheClockWasSetBackBetweenTwoProcesses() {
    gang.sayFreezeFor(Duration.ofSeconds(60), Gang.ORDERED.plusSeconds(60));
    gang.rounds(2);
    gang.clockStep = Duration.ofHours(-1);
    gang.restartAgent();
    gang.rounds(2);
    assertThat(state("w1")).isEqualTo(FakeNode.State.FROZEN);
    gang.now = gang.now.plusSeconds(61);
    gang.rounds(3);
    assertThat(state("w1")).isEqualTo(FakeNode.State.RUNS);
  }

  @Test
  void shouldNotThawWhatIsBeingRestartedWhenTheTimeIsOver() {
    frozen();
    gang.say(RESTART_ALL, LEADER);
    gang.now = Gang.ORDERED.plusSeconds(100);
    gang.rounds(2);
    assertThat(gang.node.calls).noneMatch(call -> call.startsWith("thaw"));
  }
}
