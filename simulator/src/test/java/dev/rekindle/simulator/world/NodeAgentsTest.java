package dev.rekindle.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Meta;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Three ranks on node-0 to node-2 and node-3 to spare; a step takes a tenth of a second, every
 * tenth leaves a checkpoint. Orders are written by hand, as a controller would.
 */
class NodeAgentsTest {
  private static final String ORDER = "demo-r1-1";
  private static final String KEY = Given.KEY.namespace() + "/" + ORDER;
  private static final Duration SOON = Duration.ofSeconds(2);

  private final List<String> stores = new ArrayList<>();
  private Simulation simulation =
      Simulation.of(Given.cluster(4, Given.job().newestByItself().setup()));

  @BeforeEach
  void train() {
    simulation.world().witness(witness());
    until(() -> simulation.training(Given.KEY).step() > 25);
  }

  private TruthObserver witness() {
    return new TruthObserver() {
      @Override
      public void findsOldStore(JobKey job, String pod, boolean survivor) {
        stores.add(pod + (survivor ? " survives" : " is new"));
      }
    };
  }

  @AfterEach
  void close() {
    simulation.close();
  }

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

  @Test
  void shouldLetAGangGoOnWhereItStoodWhenTheOrderIsWithdrawn() {
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

  /** The pods ask for thirty seconds, and processes heed no signal. */
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
  void shouldEndAtItsFirstLookWhatWasRemovedWhileItsNodeWasSilent() {
    simulation.levers().nodeHangs("node-1");
    PodView lost = pod("demo-worker-0");
    simulation.levers().forceDeletePods("node-1");
    simulation.runFor(Duration.ofSeconds(5));
    assertThat(simulation.world().hasProcess(lost)).isTrue();

    simulation.levers().nodeReturns("node-1");
    simulation.runFor(Duration.ofSeconds(1));

    assertThat(simulation.world().hasProcess(lost)).isFalse();
  }

  // --- the hand of a controller -------------------------------------------------------------

  private void order(RestartInstruction instruction) {
    order(instruction, simulation.now().plusSeconds(600));
  }

  private void order(RestartInstruction instruction, Instant until) {
    String job = simulation.job(Given.KEY).uid();
    RecoverySpec spec =
        new RecoverySpec(JobRef.pyTorchJob(Given.KEY.name(), job), simulation.now(), null);
    World world = simulation.world();
    if (world.recoveries().find("team/demo-r1").isEmpty()) {
      world.recoveries().create(new RecoveryObject(Meta.draft("team", "demo-r1", job), spec, null));
    }
    Meta meta = Meta.draft("team", ORDER, world.recoveries().get("team/demo-r1").meta().uid());
    world
        .orders()
        .create(
            new OrderObject(
                meta,
                new RestartOrderSpec(
                    JobRef.pyTorchJob(Given.KEY.name(), job), "demo-r1", instruction, "", until)));
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

  private RestartReportSpec report(String node) {
    return simulation.world().restarts().get(KEY + "." + node).spec();
  }

  private @Nullable RestartInstruction done(String node) {
    return simulation
        .world()
        .restarts()
        .find(KEY + "." + node)
        .map(r -> r.spec().done())
        .orElse(null);
  }

  private long frozen() {
    return simulation.world().gang(simulation.job(Given.KEY).uid()).processes().frozen().size();
  }

  private PodView pod(String name) {
    return simulation.pods(Given.KEY).stream()
        .filter(p -> p.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private String uid(String name) {
    return uids().getOrDefault(name, "");
  }

  private Map<String, String> uids() {
    return simulation.pods(Given.KEY).stream()
        .collect(Collectors.toMap(PodView::name, PodView::uid));
  }

  private void until(BooleanSupplier so) {
    for (int i = 0; i < 3_000; i++) {
      if (simulation.runUntil(so, Duration.ofMillis(100))) {
        return;
      }
    }
    throw new AssertionError("never: " + simulation.training(Given.KEY));
  }
}
