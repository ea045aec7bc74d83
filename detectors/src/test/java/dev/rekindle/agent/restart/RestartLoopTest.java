package dev.rekindle.agent.restart;

import static dev.rekindle.api.RestartInstruction.FREEZE;
import static dev.rekindle.api.RestartInstruction.RESTART_ALL;
import static dev.rekindle.api.RestartInstruction.RESTART_LEADER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.pods.JobLookup;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReport;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.detect.restart.RestartDraft;
import dev.rekindle.detect.restart.RestartLoop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RestartLoopTest {
  private static final String LEADER = "master-uid";

  @TempDir Path directory;
  private Gang gang = new Gang(Path.of("/replaced"));

  @BeforeEach
  void start() {
    gang.close();
    gang = new Gang(directory.resolve("notes"));
    gang.job("job", "true");
    gang.pod("master", "m1");
    gang.pod("worker", "w1");
    gang.round();
  }

  @AfterEach
  void close() {
    gang.close();
  }

  private RestartReportSpec report() {
    return Objects.requireNonNull(gang.report());
  }

  private static PodRestart told(String pod, String container, String how, State state) {
    return new PodRestart(pod, pod + "-uid", container, 0, how, state);
  }

  private FakeNode.State state(String container) {
    return Objects.requireNonNull(gang.node.containers.get(container));
  }

  private void frozen() {
    gang.say(FREEZE, LEADER);
    gang.round();
    assertThat(report().done()).isEqualTo(FREEZE);
  }

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
  void shouldWriteOnceForEachInstructionOfAWholeRestart() {
    gang.node.slow = true;
    gang.say(FREEZE, LEADER);
    gang.round();
    assertThat(gang.report()).as("not all is frozen").isNull();
    gang.rounds(3);
    assertThat(report().done()).isEqualTo(FREEZE);
    assertThat(report().pods())
        .containsExactly(
            told("master", "m1", "cgroup-v1", State.FROZEN),
            told("worker", "w1", "cgroup-v1", State.FROZEN));
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
            told("master", "m1", "cgroup-v1", State.RESTARTED),
            told("worker", "w1", "cgroup-v1", State.RESTARTED));
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
  void shouldWaitWithoutTouchingAnythingWhenTheJobCannotBeRead() {
    gang.crud.refuse = request -> request.contains("pytorchjobs") ? 403 : 0;
    gang.say(FREEZE, LEADER);
    gang.rounds(3);
    assertThat(gang.node.calls).isEmpty();
    assertThat(gang.report()).isNull();
    gang.crud.refuse = request -> 0;
    gang.now = gang.now.plus(JobLookup.RETRY);
    gang.round();
    assertThat(report().done()).isEqualTo(FREEZE);
  }

  @Test
  void shouldSaySoAtOnceWhenFreezingIsSwitchedOff() {
    gang.enabled = false;
    gang.restartAgent();
    gang.say(FREEZE, LEADER);
    gang.rounds(2);
    assertThat(report().problem()).contains("agent.freeze.enabled");
    assertThat(report().done()).isNull();
    assertThat(gang.node.calls).isEmpty();
  }

  @Test
  void shouldSaySoAtOnceWhenItCannotFreeze() {
    gang.node.broken = "no freezer";
    gang.say(FREEZE, LEADER);
    gang.rounds(5);
    assertThat(report().problem()).contains("no freezer").contains("master");
    assertThat(report().done()).isNull();
    assertThat(gang.writes()).isEqualTo(1);
  }

  @Test
  void shouldSaySoWhenTheContainerThatIsSaidToRunCannotBeFound() {
    gang.node.containers.remove("w1");
    gang.say(FREEZE, LEADER);
    gang.rounds(5);
    assertThat(gang.report()).as("that it is not found proves nothing").isNull();
    gang.now = gang.now.plus(RestartDraft.FREEZE);
    gang.round();
    assertThat(report().problem()).contains("w1").contains("found");
    assertThat(report().pods()).hasSize(1);
  }

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

  @Test
  void shouldFreezeWhatComesUpWhileTheGangIsFrozenAndTellOnce() {
    gang.pod("worker", "");
    gang.say(FREEZE, LEADER);
    gang.round();
    assertThat(report().pods().getLast()).isEqualTo(told("worker", "", "", State.KILLED));
    gang.container("worker", "w2", 1);
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

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void shouldKillWhatCameUpUnseenBeforeTheWordToRestart(boolean stateIsLost) throws IOException {
    gang.pod("worker", "");
    frozen();
    assertThat(report().pods().getLast()).isEqualTo(told("worker", "", "", State.KILLED));
    gang.container("worker", "w2", 1);
    gang.say(RESTART_ALL, LEADER);
    if (stateIsLost) {
      Files.delete(gang.notes);
    }
    gang.restartAgent();
    gang.rounds(3);
    assertThat(state("w2")).as("it may resume from an older pin").isEqualTo(FakeNode.State.DEAD);
    assertThat(report().done()).isNotEqualTo(RESTART_ALL);
    gang.container("master", "m2", 1);
    gang.container("worker", "w3", 2);
    gang.rounds(3);
    assertThat(state("w3")).isEqualTo(FakeNode.State.RUNS);
    assertThat(report().done()).isEqualTo(RESTART_ALL);
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
  void shouldThawAndTellWhenTheTimeIsOver() {
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

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void shouldLoseNothingWhenTheAgentIsStartedAgain(boolean stateIsLost) throws IOException {
    frozen();
    if (stateIsLost) {
      Files.delete(gang.notes);
    }
    gang.restartAgent();
    gang.rounds(3);
    assertThat(gang.writes()).as("nothing is new").isEqualTo(1);
    gang.say(RESTART_LEADER, LEADER);
    gang.rounds(2);
    assertThat(report().done()).isEqualTo(RESTART_LEADER);
    gang.container("master", "m2", 1);
    if (stateIsLost) {
      Files.delete(gang.notes);
    }
    gang.restartAgent();
    gang.rounds(2);
    assertThat(state("m2")).isEqualTo(FakeNode.State.RUNS);
    gang.say(RESTART_ALL, LEADER);
    gang.rounds(2);
    gang.restartAgent();
    gang.container("worker", "w2", 1);
    gang.rounds(2);
    assertThat(report().done()).isEqualTo(RESTART_ALL);
    assertThat(gang.writes()).isEqualTo(3);
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
  void shouldBeNoticedWhenAPodWasNeverFrozenAndAllIsToRestart() {
    gang.say(RESTART_ALL, LEADER);
    gang.rounds(2);
    assertThat(report().problem()).contains("never frozen");
    assertThat(gang.node.calls).isEmpty();
  }

  @Test
  void shouldTryAgainWhenTheReportCannotBeWritten() {
    gang.crud.refuse = request -> request.contains("restartreports") ? 403 : 0;
    gang.say(FREEZE, LEADER);
    gang.rounds(3);
    assertThat(gang.writes()).isEqualTo(1);
    assertThat(state("w1")).isEqualTo(FakeNode.State.FROZEN);
    gang.crud.refuse = request -> 0;
    gang.now = gang.now.plusSeconds(1);
    gang.round();
    assertThat(report().done()).isEqualTo(FREEZE);
  }

  @Test
  void shouldTakeUpAReportThatWasWrittenThoughTheAnswerWasLost() throws IOException {
    frozen();
    Files.delete(gang.notes);
    gang.restartAgent();
    gang.orders.clear();
    gang.round();
    gang.say(FREEZE, LEADER);
    gang.round();
    gang.now = gang.now.plusSeconds(1);
    gang.rounds(2);
    gang.say(RESTART_LEADER, LEADER);
    gang.rounds(2);
    assertThat(report().done()).isEqualTo(RESTART_LEADER);
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
