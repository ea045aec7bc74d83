package dev.rekindle.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.simulator.Given;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Freezing and thawing, as the agents carry it out. */
class NodeAgentsFreezeTest extends NodeAgentsFixture {
  private static final Duration SOON = Duration.ofSeconds(2);

  @Test
  void shouldLetNothingOfAFrozenGangComputeOrWrite() {
    order(RestartInstruction.FREEZE);
    until(() -> frozen() == 3);
    TrainingView stood = simulation.training(Given.KEY);
    simulation.runFor(Duration.ofSeconds(30));
    assertThat(stood.moving()).isFalse();
    assertThat(simulation.training(Given.KEY)).isEqualTo(stood);
    assertThat(simulation.pods(Given.KEY)).allMatch(p -> p.ready() && p.restarts() == 0);
  }

  @Test
  void shouldReportOnceForEachNodeWhenAllOfItIsFrozen() {
    List<String> writes = new ArrayList<>();
    simulation.world().restarts().watch(change -> writes.add(change.key()));
    order(RestartInstruction.FREEZE);
    simulation.runFor(SOON);
    assertThat(writes).containsExactlyInAnyOrder(KEY + ".node-0", KEY + ".node-1", KEY + ".node-2");
    RestartReportSpec report = report("node-1");
    assertThat(report.done()).isEqualTo(RestartInstruction.FREEZE);
    assertThat(report.problem()).isEmpty();
    assertThat(report.pods())
        .containsExactly(
            new PodRestart(
                "demo-worker-0",
                uid("demo-worker-0"),
                uid("demo-worker-0") + "-0",
                0,
                "cgroup-v2",
                State.FROZEN));
  }

  @Test
  void shouldLetAGangContinueWhereItStoodWhenTheOrderIsWithdrawn() {
    order(RestartInstruction.FREEZE);
    until(() -> frozen() == 3);
    long step = simulation.training(Given.KEY).step();
    simulation.world().orders().delete(KEY, "", null);
    simulation.runFor(SOON);
    assertThat(frozen()).isZero();
    assertThat(simulation.training(Given.KEY).moving()).isTrue();
    assertThat(simulation.training(Given.KEY).step()).isBetween(step, step + 25);
    assertThat(simulation.world().restarts().list()).isEmpty();
    assertThat(simulation.pods(Given.KEY)).allMatch(p -> p.restarts() == 0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldThawWhenTheTimeIsOver(boolean cutOff) {
    order(RestartInstruction.FREEZE, simulation.now().plusSeconds(20));
    until(() -> frozen() == 3);
    until(() -> done("node-1") == RestartInstruction.FREEZE);
    if (cutOff) {
      simulation.levers().cutOff("node-1");
    }

    simulation.runFor(Duration.ofSeconds(15));
    assertThat(frozen()).isEqualTo(3);
    simulation.runFor(Duration.ofSeconds(6));
    assertThat(frozen()).isZero();
    assertThat(report("node-0").pods()).extracting(PodRestart::state).containsOnly(State.THAWED);
    assertThat(report("node-1").pods())
        .extracting(PodRestart::state)
        .containsOnly(cutOff ? State.FROZEN : State.THAWED);
  }

  @Test
  void shouldSayAtOnceThatItCannotFreeze() {
    simulation.levers().agentCannotFreeze("node-1", Duration.ofMinutes(1));
    order(RestartInstruction.FREEZE);
    simulation.runFor(SOON);
    assertThat(report("node-1").done()).isNull();
    assertThat(report("node-1").problem()).contains("demo-worker-0");
    assertThat(frozen()).isEqualTo(2);
  }

  @Test
  void shouldEndWhatADeafFreezeKeepsFromEndingOnlyWhenItsAgentIsBack() {
    simulation.world().nodeOutages().frozenHeedNoSignal();
    order(RestartInstruction.FREEZE);
    until(() -> frozen() == 3);
    simulation.levers().agentDies("node-1", Duration.ofSeconds(30));
    String uid = uid("demo-worker-0");
    simulation.world().pods().delete("team/demo-worker-0", uid, Duration.ofSeconds(1));
    simulation.runFor(Duration.ofSeconds(25));
    assertThat(uid("demo-worker-0")).isEqualTo(uid);
    until(() -> !uid("demo-worker-0").equals(uid));
  }

  @Test
  void shouldFreezeWhatAKubeletStartsWhileTheGangIsFrozen() {
    simulation.levers().rankDies(Given.KEY, 2, 137);
    order(RestartInstruction.FREEZE);
    until(() -> done("node-2") == RestartInstruction.FREEZE);
    assertThat(report("node-2").pods()).extracting(PodRestart::state).containsOnly(State.KILLED);
    assertThat(report("node-2").done()).isEqualTo(RestartInstruction.FREEZE);
    until(() -> frozen() == 3);
    simulation.runFor(SOON);
    assertThat(report("node-2").pods()).extracting(PodRestart::state).containsOnly(State.FROZEN);
    assertThat(report("node-2").pods()).extracting(PodRestart::restartCount).containsOnly(1);
  }
}
