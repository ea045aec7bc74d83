package dev.rekindle.agent.restart;

import static dev.rekindle.api.RestartInstruction.FREEZE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.detect.restart.RestartLoop;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
