package dev.rekindle.agent.restart;

import static dev.rekindle.api.RestartInstruction.FREEZE;
import static dev.rekindle.api.RestartInstruction.RESTART_ALL;
import static dev.rekindle.api.RestartInstruction.RESTART_LEADER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import org.junit.jupiter.api.Test;

/** What is frozen for an order, and what is not. */
class RestartFreezeTest extends RestartFixture {

  @Test
  void shouldFreezeWhatComesUpWhileTheGangIsFrozenAndReportOnce() {
    gang.pod("worker", "");
    gang.say(FREEZE, LEADER);
    gang.round();
    assertThat(report().pods().getLast()).isEqualTo(notMade(State.KILLED));
    gang.container("worker", "w2", 0);
    gang.rounds(3);
    assertThat(state("w2")).isEqualTo(FakeNode.State.FROZEN);
    assertThat(report().pods().getLast().containerId()).isEqualTo("w2");
    assertThat(gang.writes()).isEqualTo(2);
    gang.say(RESTART_LEADER, LEADER);
    gang.rounds(3);
    gang.ended("worker");
    gang.container("worker", "w3", 2);
    gang.rounds(3);
    assertThat(state("w3")).isEqualTo(FakeNode.State.FROZEN);
    gang.say(RESTART_ALL, LEADER);
    gang.container("master", "m2", 1);
    gang.container("worker", "w4", 3);
    gang.rounds(3);
    assertThat(report().done()).isEqualTo(RESTART_LEADER);
    assertThat(state("w4")).as("started before the word").isEqualTo(FakeNode.State.DEAD);
    gang.container("worker", "w5", 4);
    gang.round();
    assertThat(report().done()).isEqualTo(RESTART_ALL);
  }

  @Test
  void shouldCountTheFirstContainerOfAPodAsOfTheAttempt() {
    gang.pod("worker", "");
    frozen();
    gang.say(RESTART_ALL, LEADER);
    gang.rounds(3);
    gang.container("master", "m2", 1);
    gang.container("worker", "w1", 0);
    gang.rounds(3);

    assertThat(report().done()).isEqualTo(RESTART_ALL);
    assertThat(report().pods().getLast())
        .as("its first container has the count 0, which is more")
        .isEqualTo(notMade(State.RESTARTED));
    assertThat(gang.node.calls).noneMatch(call -> call.endsWith("w1"));
  }

  private static PodRestart notMade(State state) {
    return new PodRestart("worker", "worker-uid", "", -1, "", state);
  }

  @Test
  void shouldNeverFreezeAReplacement() {
    gang.pod("worker", "job", Gang.ORDERED, "w9", 0);
    frozen();
    gang.say(RESTART_LEADER, LEADER);
    gang.rounds(3);
    gang.say(RESTART_ALL, LEADER);
    gang.rounds(2);
    assertThat(gang.node.calls).noneMatch(call -> call.endsWith("w9"));
    assertThat(report().pods()).hasSize(1);
  }

  @Test
  void shouldLeaveOtherJobsAlone() {
    gang.job("other", "true");
    gang.pod("stranger", "other", Gang.OLD, "s1", 0);
    frozen();
    gang.say(RESTART_ALL, "");
    gang.rounds(3);
    assertThat(gang.node.calls).noneMatch(call -> call.endsWith("s1"));
  }
}
