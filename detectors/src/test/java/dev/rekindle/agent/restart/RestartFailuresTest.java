package dev.rekindle.agent.restart;

import static dev.rekindle.api.RestartInstruction.FREEZE;
import static dev.rekindle.api.RestartInstruction.RESTART_ALL;
import static dev.rekindle.api.RestartInstruction.RESTART_LEADER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.pods.JobLookup;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RestartReport;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.restart.GangWitnesses;
import dev.rekindle.detect.restart.Order;
import dev.rekindle.detect.restart.RestartDraft;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Freezers that fail, and agents and API servers that are away. */
class RestartFailuresTest extends RestartFixture {
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

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void shouldKillWhatCameUpUnseenBeforeTheWordToRestart(boolean stateIsLost) throws IOException {
    gang.pod("worker", "");
    frozen();
    assertThat(report().pods().getLast())
        .isEqualTo(new PodRestart("worker", "worker-uid", "", -1, "", State.KILLED));
    gang.container("worker", "w2", 0);
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

  /** Who may write reports of a namespace has no say over containers of others. */
  @ParameterizedTest
  @CsvSource({"somebody-uid, false", "worker-uid, false", "somebody-uid, true", "worker-uid, true"})
  void shouldTouchNoContainerThatAReportNamesAndThePodDoesNotHave(
      String podUid, boolean restarted) {
    gang.pod("victim", "other", Gang.OLD, "v1", 0);
    var report = new RestartReport();
    report.setMetadata(
        new ObjectMetaBuilder().withNamespace("team").withName("attempt-1.node-1").build());
    report.setSpec(
        new RestartReportSpec(
            "attempt-1",
            "order-uid",
            "node-1",
            "job",
            null,
            "",
            List.of(new PodRestart("worker", podUid, "v1", 0, "cgroup-v1", State.FROZEN)),
            Gang.ORDERED,
            List.of(),
            null));
    gang.crud.client.resource(report).create();
    if (restarted) {
      gang.restartAgent();
    }
    gang.say(FREEZE, LEADER);
    for (int second = 0; second < 30; second++) {
      gang.now = gang.now.plusSeconds(1);
      gang.round();
    }
    gang.delete("worker");
    gang.say(RESTART_ALL, LEADER);
    gang.rounds(3);
    gang.orders.clear();
    gang.rounds(3);
    assertThat(state("v1")).isEqualTo(FakeNode.State.RUNS);
    assertThat(gang.node.calls).noneMatch(call -> call.endsWith(" v1"));
  }

  @Test
  void shouldThawTheOthersWhenOneContainerCannotBe() {
    frozen();
    gang.node.impossible.add("m1");
    gang.orders.clear();
    gang.rounds(3);
    assertThat(state("w1")).isEqualTo(FakeNode.State.RUNS);
    gang.node.impossible.clear();
    gang.rounds(3);
    assertThat(state("m1")).isEqualTo(FakeNode.State.RUNS);
  }

  /** Orders are for jobs of all tenants of the node. */
  @Test
  void shouldWorkOnOtherOrdersAndThawWhenOneOrderCannotBeWorkedOn() {
    gang.job("other", "true");
    gang.pod("broken", "other", Gang.OLD, "b1", 0);
    gang.witnesses = new BrokenWitnesses();
    gang.restartAgent();
    var broken =
        new Order(
            "team",
            "attempt-of-other",
            "broken-uid",
            Gang.ORDERED,
            "other",
            "other-uid",
            FREEZE,
            "",
            Gang.ORDERED.plusSeconds(60),
            null,
            true,
            null);
    gang.say(FREEZE, LEADER);
    gang.orders.addFirst(broken);
    gang.rounds(3);
    assertThat(report().done()).isEqualTo(FREEZE);

    gang.orders.removeLast();
    gang.rounds(3);
    assertThat(state("m1")).isEqualTo(FakeNode.State.RUNS);
    assertThat(state("w1")).isEqualTo(FakeNode.State.RUNS);
  }

  /** What is found of the processes of a job is what its program makes of them. */
  private static final class BrokenWitnesses implements GangWitnesses {
    @Override
    public Optional<List<RankEvidence>> of(String orderUid, TrainingPod pod) {
      throw new IllegalStateException("thrown by the test");
    }

    @Override
    public List<RankEvidence> found(String orderUid, TrainingPod pod) {
      throw new StackOverflowError("thrown by the test");
    }

    @Override
    public void retain(Set<String> orderUids) {}
  }
}
