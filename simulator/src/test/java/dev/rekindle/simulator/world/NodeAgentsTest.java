package dev.rekindle.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.simulator.Given;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Restarts in place, as the agents carry them out. */
class NodeAgentsTest extends NodeAgentsFixture {
  @Test
  void shouldRestartTheLeaderFirstAndThenAllOthersInTheirOwnPods() {
    Map<String, String> uids = uids();
    long written = restart();
    until(() -> simulation.training(Given.KEY).moving());
    assertThat(uids()).isEqualTo(uids);
    assertThat(simulation.pods(Given.KEY)).allMatch(p -> p.restarts() == 1 && p.ready());
    assertThat(simulation.training(Given.KEY).attempt()).isEqualTo(ORDER + " in place");
    assertThat(simulation.training(Given.KEY).step()).isEqualTo(written + 1);
    assertThat(stores).isEmpty();
  }

  /** Freezes, restarts the leader, then all; the step of the newest checkpoint of before. */
  private long restart() {
    order(RestartInstruction.FREEZE);
    until(() -> frozen() == 3);
    long written = simulation.training(Given.KEY).newestCheckpoint();
    instruct(RestartInstruction.RESTART_LEADER, uid("demo-master-0"));
    until(() -> done("node-0") == RestartInstruction.RESTART_LEADER);
    assertThat(report("node-0").pods()).extracting(PodRestart::state).containsOnly(State.KILLED);
    assertThat(frozen()).isEqualTo(2);
    simulation.runFor(Duration.ofSeconds(5));
    assertThat(frozen()).isEqualTo(2);
    assertThat(pod("demo-master-0").restarts()).isEqualTo(1);
    instruct(RestartInstruction.RESTART_ALL, uid("demo-master-0"));
    until(() -> simulation.world().restarts().list().stream().allMatch(this::isRestarted));
    return written;
  }

  private boolean isRestarted(RestartObject report) {
    return report.spec().done() == RestartInstruction.RESTART_ALL
        && report.spec().pods().stream()
            .allMatch(p -> p.state() == State.RESTARTED && p.restartCount() == 0);
  }

  @Test
  void shouldWaitForTheKubeletTheSecondTime() {
    restart();
    until(() -> simulation.training(Given.KEY).moving());
    simulation.world().orders().delete(KEY, "", null);
    simulation.runFor(Duration.ofSeconds(20));
    Instant again = simulation.now();
    order(RestartInstruction.FREEZE);
    until(() -> frozen() == 3);
    instruct(RestartInstruction.RESTART_ALL, "");
    until(() -> simulation.pods(Given.KEY).stream().allMatch(p -> p.restarts() == 2));
    assertThat(Duration.between(again, simulation.now())).isGreaterThan(Duration.ofSeconds(8));
  }

  @Test
  void shouldFindTheOldStoreWhereTheLeaderComesLast() {
    order(RestartInstruction.FREEZE);
    until(() -> frozen() == 3);
    simulation.levers().agentDies("node-0", Duration.ofSeconds(30));
    instruct(RestartInstruction.RESTART_ALL, "");
    simulation.runFor(Duration.ofSeconds(20));

    assertThat(stores)
        .containsExactlyInAnyOrder("team/demo-worker-0 survives", "team/demo-worker-1 survives");
    assertThat(simulation.training(Given.KEY).moving()).isFalse();
  }

  @Test
  void shouldLoseNothingWhenAnAgentDiesBetweenFreezeAndKill() {
    order(RestartInstruction.FREEZE);
    until(() -> frozen() == 3);
    simulation.levers().agentDies("node-1", Duration.ofSeconds(10));
    instruct(RestartInstruction.RESTART_LEADER, uid("demo-master-0"));
    until(() -> done("node-0") == RestartInstruction.RESTART_LEADER);
    instruct(RestartInstruction.RESTART_ALL, uid("demo-master-0"));
    simulation.runFor(Duration.ofSeconds(6));

    assertThat(simulation.world().gang(simulation.job(Given.KEY).uid()).processes().frozen())
        .containsExactly("team/demo-worker-0");
    until(() -> done("node-1") == RestartInstruction.RESTART_ALL);
    until(() -> simulation.training(Given.KEY).moving());
    assertThat(simulation.pods(Given.KEY)).allMatch(p -> p.restarts() == 1);
  }

  /** The pods request thirty seconds, and processes heed no signal. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldKillWhatIsFrozenInAPodThatIsDeleted(boolean deaf) {
    if (deaf) {
      simulation.world().nodeOutages().frozenHeedNoSignal();
    }
    order(RestartInstruction.FREEZE);
    until(() -> frozen() == 3);
    simulation.world().nodes().patch("node-1", n -> n.cordoned(true, ""));
    String uid = uid("demo-worker-0");
    simulation.world().pods().delete("team/demo-worker-0", uid, Duration.ofSeconds(30));
    Instant deleted = simulation.now();
    until(() -> !uid("demo-worker-0").equals(uid));
    assertThat(Duration.between(deleted, simulation.now())).isLessThan(Duration.ofSeconds(5));
    simulation.runFor(Duration.ofSeconds(5));
    assertThat(pod("demo-worker-0").node()).isEqualTo("node-3");
    assertThat(frozen()).as("the replacement is never frozen").isEqualTo(2);
  }

  @Test
  void shouldLeaveOtherJobsAlone() {
    simulation.world().submit(Given.job().named("other").ranks(1, 0).setup());
    var other = new JobKey("team", "other");
    until(() -> simulation.training(other).moving());
    order(RestartInstruction.FREEZE);
    until(() -> frozen() == 3);
    simulation.runFor(Duration.ofSeconds(10));
    assertThat(simulation.training(other).moving()).isTrue();
  }

  @Test
  void shouldEndAtItsFirstSyncWhatWasRemovedWhileItsNodeWasSilent() {
    simulation.levers().nodeHangs("node-1");
    PodView lost = pod("demo-worker-0");
    simulation.levers().forceDeletePods("node-1");
    simulation.runFor(Duration.ofSeconds(5));
    assertThat(simulation.world().gangs().hasProcess(lost)).isTrue();
    simulation.levers().nodeReturns("node-1");
    simulation.runFor(Duration.ofSeconds(1));
    assertThat(simulation.world().gangs().hasProcess(lost)).isFalse();
  }

  private void instruct(RestartInstruction instruction, String leader) {
    simulation
        .world()
        .orders()
        .patch(
            KEY,
            o ->
                o.with(
                    new RestartOrderSpec(
                        o.spec().jobRef(),
                        o.spec().recovery(),
                        instruction,
                        leader,
                        o.spec().until())));
  }
}
