package dev.rekindle.agent.restart;

import static dev.rekindle.api.RestartInstruction.FREEZE;
import static dev.rekindle.api.RestartInstruction.RESTART_ALL;
import static dev.rekindle.api.RestartInstruction.RESTART_LEADER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RestartReport;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.detect.restart.RestartLoop;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Restarts that take their course. */
class RestartLoopTest extends RestartFixture {
  @Test
  void shouldLeaveAloneAGangThatWasMadeAfterTheOneWhichALateOrderIsFor() {
    gang.sayFreeze(Gang.OLD.minusSeconds(1));
    gang.rounds(3);

    assertThat(gang.node.calls).noneMatch(call -> call.startsWith("freeze"));
    assertThat(gang.report()).isNull();

    gang.sayFreeze(Gang.OLD);
    gang.rounds(3);
    assertThat(report().pods()).hasSize(2);
  }

  @Test
  void shouldWriteOnceForEachInstructionOfARestart() {
    gang.node.slow = true;
    gang.say(FREEZE, LEADER);
    gang.round();
    assertThat(gang.report()).as("not all is frozen").isNull();
    gang.rounds(3);
    assertThat(report().done()).isEqualTo(FREEZE);
    assertThat(report().pods())
        .containsExactly(
            entry("master", "m1", "cgroup-v1", State.FROZEN),
            entry("worker", "w1", "cgroup-v1", State.FROZEN));
    assertThat(gang.writes()).isEqualTo(1);

    gang.say(RESTART_LEADER, LEADER);
    gang.round();
    assertThat(report().done()).as("it still dies").isEqualTo(FREEZE);
    gang.rounds(3);
    assertThat(report().done()).isEqualTo(RESTART_LEADER);
    assertThat(report().pods().getFirst().state()).isEqualTo(State.KILLED);
    assertThat(state("w1")).isEqualTo(FakeNode.State.FROZEN);
    gang.container("master", "m2", 1);
    gang.rounds(3);
    assertThat(state("m2")).as("of the new generation").isEqualTo(FakeNode.State.RUNS);
    assertThat(gang.writes()).isEqualTo(2);

    gang.say(RESTART_ALL, LEADER);
    gang.rounds(3);
    assertThat(state("w1")).isEqualTo(FakeNode.State.DEAD);
    assertThat(report().done()).isEqualTo(RESTART_LEADER);
    gang.container("worker", "w2", 1);
    gang.rounds(3);
    assertThat(report().done()).isEqualTo(RESTART_ALL);
    assertThat(report().pods())
        .containsExactly(
            entry("master", "m1", "cgroup-v1", State.RESTARTED),
            entry("worker", "w1", "cgroup-v1", State.RESTARTED));
    assertThat(gang.writes()).isEqualTo(3);

    gang.container("worker", "w3", 2);
    gang.orders.clear();
    assertThat(gang.round()).isEqualTo(RestartLoop.CALM);
    assertThat(state("w3")).isEqualTo(FakeNode.State.RUNS);
    assertThat(gang.node.calls).noneMatch(call -> call.startsWith("thaw"));
  }

  @Test
  void shouldOwnTheReportByItsOrder() {
    frozen();
    var report =
        gang.crud
            .client
            .resources(RestartReport.class)
            .inNamespace("team")
            .withName("attempt-1.node-1")
            .get();
    assertThat(report.getMetadata().getOwnerReferences())
        .singleElement()
        .satisfies(
            owner -> {
              assertThat(owner.getKind()).isEqualTo("RestartOrder");
              assertThat(owner.getApiVersion()).isEqualTo("rekindle.dev/v1alpha1");
              assertThat(owner.getUid()).isEqualTo("order-uid");
            });
    assertThat(report.getSpec().node()).isEqualTo("node-1");
  }

  @Test
  void shouldAskTheServerNothingButTheJobWhenItFreezes() {
    frozen();
    assertThat(gang.crud.requests)
        .filteredOn(request -> request.contains("rekindle.dev"))
        .as("the last one is this test's own")
        .hasSize(2)
        .first()
        .asString()
        .startsWith("POST");
  }

  @Test
  void shouldKillTheLeaderOnlyWhereItIsAndOnlyFirst() {
    frozen();
    gang.say(RESTART_LEADER, "elsewhere");
    gang.rounds(3);
    assertThat(gang.writes()).isEqualTo(1);
    gang.say(RESTART_ALL, LEADER);
    gang.rounds(3);
    assertThat(gang.node.calls)
        .filteredOn(call -> call.startsWith("kill"))
        .containsExactly("kill m1", "kill w1");
  }

  @ParameterizedTest
  @CsvSource({"true,true", "approve,true", "observe,false", "false,false", "yes,false"})
  void shouldActOnlyWhenJobAllowsIt(String recover, boolean allowed) {
    gang.job("job", recover);
    gang.say(FREEZE, LEADER);
    gang.rounds(2);
    assertThat(report().problem().isEmpty()).isEqualTo(allowed);
    assertThat(gang.node.calls.isEmpty()).isEqualTo(!allowed);
    assertThat(gang.writes()).isEqualTo(1);
  }

  @Test
  void shouldBeCalmWithoutAnOrderAndQuickWithOne() {
    assertThat(gang.round()).isEqualTo(RestartLoop.CALM);
    frozen();
    assertThat(gang.round()).isEqualTo(Duration.ofMillis(100));
    gang.node.slow = true;
    gang.say(RESTART_LEADER, LEADER);
    assertThat(gang.round()).isEqualTo(RestartLoop.SOON);
  }
}
