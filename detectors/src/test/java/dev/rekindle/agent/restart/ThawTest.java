package dev.rekindle.agent.restart;

import static dev.rekindle.api.RestartInstruction.FREEZE;
import static dev.rekindle.api.RestartInstruction.RESTART_ALL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.detect.restart.RestartLoop;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever is frozen is thawed or killed in the end. */
class ThawTest extends RestartFixture {
  @Test
  void shouldTakeForEndedWhatTheKubeletSaysHasEnded() {
    gang.node.containers.remove("w1");
    gang.say(FREEZE, LEADER);
    gang.round();
    gang.ended("worker");
    gang.rounds(2);
    assertThat(report().done()).isEqualTo(FREEZE);
    assertThat(report().pods().getLast().state()).isEqualTo(State.KILLED);
  }

  @ParameterizedTest
  @EnumSource(RestartInstruction.class)
  void shouldKillAndNeverThawWhatIsFrozenInATerminatingPod(RestartInstruction instruction) {
    frozen();
    gang.say(instruction, "");
    gang.delete("worker");
    gang.round();
    assertThat(state("w1")).isEqualTo(FakeNode.State.DEAD);
    gang.vanish("worker");
    gang.orders.clear();
    gang.rounds(3);
    assertThat(gang.node.calls).doesNotContain("thaw w1");
  }

  @Test
  void shouldKillAtOnceWhatTerminatesAsTheOrderComes() {
    gang.delete("worker");
    frozen();
    assertThat(state("w1")).isEqualTo(FakeNode.State.DEAD);
    assertThat(report().pods().getLast().state()).isEqualTo(State.KILLED);
  }

  @Test
  void shouldKillAndNotThawWhenTheOrderGoesWhileAPodTerminates() {
    frozen();
    gang.delete("worker");
    gang.orders.clear();
    gang.rounds(2);
    assertThat(state("w1")).isEqualTo(FakeNode.State.DEAD);
    assertThat(state("m1")).isEqualTo(FakeNode.State.RUNS);
    assertThat(gang.loop.held()).isZero();
  }

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

  @Test
  void shouldNotTakeAFreezeForDoneThatWasThawedBefore() {
    gang.node.slow = true;
    gang.say(FREEZE, LEADER);
    gang.round();
    gang.now = Gang.ORDERED.plusSeconds(61);
    gang.rounds(2);
    assertThat(report().done()).isNull();
    assertThat(report().pods()).allMatch(pod -> pod.state() == State.THAWED);
  }

  @Test
  void shouldThawWhatIsFrozenForAnOrderThatWentWhileTheAgentWasAway() {
    frozen();
    gang.orders.clear();
    gang.restartAgent();
    gang.synced = false;
    gang.rounds(2);
    assertThat(state("w1")).as("not known to be gone").isEqualTo(FakeNode.State.FROZEN);
    gang.synced = true;
    gang.round();
    assertThat(state("w1")).isEqualTo(FakeNode.State.RUNS);
  }

  @Test
  void shouldThawInTheEndWhenTheServerIsAwayAfterTheAgentStarts() {
    frozen();
    gang.restartAgent();
    gang.synced = false;
    gang.now = Gang.ORDERED.plusSeconds(89);
    gang.round();
    assertThat(state("w1")).isEqualTo(FakeNode.State.FROZEN);
    gang.now = Gang.ORDERED.plusSeconds(91);
    gang.round();
    assertThat(state("w1")).isEqualTo(FakeNode.State.RUNS);
  }

  @Test
  void shouldKillWhatIsLeftOfAPodWhoseObjectIsGone() {
    gang.node.slow = true;
    gang.vanish("worker");
    assertThat(gang.round()).as("it does not wait long").isLessThan(RestartLoop.CALM);
    gang.rounds(2);
    assertThat(state("w1")).isEqualTo(FakeNode.State.DEAD);
    assertThat(state("m1")).isEqualTo(FakeNode.State.RUNS);
    assertThat(gang.node.calls).containsExactly("kill w1", "kill w1");
  }

  @Test
  void shouldLeaveAGonePodToTheKubeletWhenItsJobDidNotOptInOrItEndedInPeace() {
    gang.job("job", "observe");
    gang.vanish("worker");
    gang.rounds(2);
    gang.node.containers.put("m1", FakeNode.State.DEAD);
    gang.vanish("master");
    gang.rounds(2);
    assertThat(gang.node.calls).isEmpty();
  }

  @Test
  void shouldKillWhatIsFrozenInAPodWhoseObjectIsGone() {
    frozen();
    gang.vanish("worker");
    gang.rounds(2);
    assertThat(state("w1")).isEqualTo(FakeNode.State.DEAD);
    assertThat(gang.node.calls).doesNotContain("thaw w1");
  }
}
