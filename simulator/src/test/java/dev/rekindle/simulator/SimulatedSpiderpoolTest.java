package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.simulator.process.BrokenAddresses;
import dev.rekindle.simulator.process.Reconcilers;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.setup.RailSetup;
import dev.rekindle.simulator.setup.RailSetup.Pool;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A job on node-0 to node-2 with a NIC on two rails; node-3 is to spare; two nodes to a leaf. */
class SimulatedSpiderpoolTest {
  private static final RailSetup EXACT =
      new RailSetup(2, List.of(new Pool("r1-all", 1, "", 3), new Pool("r2-all", 2, "", 3)));

  private final List<SimulatedJob> runs = new ArrayList<>();

  @AfterEach
  void close() {
    runs.forEach(SimulatedJob::close);
  }

  private SimulatedJob run(JobSetup job, RailSetup rails, Reconcilers.Factory made) {
    SimulatedJob run =
        new SimulatedJob(
            Given.cluster(4, Policy.DEFAULT, 2, job).with(rails), new Random(0), 0, made);
    runs.add(run);
    // Until agents have reported steps.
    run.runFor(Duration.ofSeconds(40));
    return run;
  }

  private SimulatedJob run(RailSetup rails) {
    return run(Given.job().setup(), rails, Reconcilers.REAL);
  }

  /** A GPU is lost that no process ends for: the job trains on. */
  private static void breakQuietly(SimulatedJob run) {
    run.stateFault("node-1");
    run.until(() -> !run.recoveries().isEmpty() && run.phase() == RecoveryPhase.HELD);
    run.runFor(Duration.ofMinutes(5));
    assertThat(run.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(run.suspended()).isFalse();
    assertThat(run.pods()).noneMatch(PodView::terminating).hasSize(3);
  }

  private static String held(SimulatedJob run) {
    return run.only().timeline().getLast().detail();
  }

  @Test
  void shouldHoldBeforeAnythingIsStoppedWhileThePoolIsFullAndContinueWhenItIsNot() {
    SimulatedJob run =
        run(
            new RailSetup(
                2,
                List.of(
                    new Pool("r1-leaf-0", 1, "leaf-0", 2),
                    new Pool("r1-leaf-1", 1, "leaf-1", 1),
                    new Pool("r2-all", 2, "", 9))));

    breakQuietly(run);
    assertThat(held(run)).contains("NoCapacity", "net1 (spiderpool/rail1)", "r1-");

    run.world().spiderpool().pools().patch("r1-leaf-1", p -> p.sized(2));
    run.untilOver();
    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(run.pods()).anyMatch(p -> p.node().equals("node-3"));
  }

  @Test
  void shouldHoldWhereNoPoolIsForTheSpareNode() {
    SimulatedJob run =
        run(
            Given.job().ranks(2, 8).setup(),
            new RailSetup(
                2, List.of(new Pool("r1-leaf-0", 1, "leaf-0", 9), new Pool("r2-all", 2, "", 9))),
            Reconcilers.REAL);
    run.stateFault("node-1");
    run.until(() -> !run.recoveries().isEmpty() && run.phase() == RecoveryPhase.HELD);

    assertThat(run.suspended()).isFalse();
    assertThat(held(run)).contains("2 no pool of net1 (spiderpool/rail1) is for the node (r1-*)");

    run.world().spiderpool().add(new Pool("r1-leaf-1", 1, "leaf-1", 1));
    run.untilOver();
    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
  }

  /** The scheduler would take both ranks back to where they were. */
  @Test
  void shouldRebuildWhereThereAreAddressesForAll() {
    SimulatedJob run =
        run(
            Given.job().ranks(2, 8).restart(RestartPolicy.NEVER).setup(),
            new RailSetup(
                2,
                List.of(
                    new Pool("r1-leaf-0", 1, "leaf-0", 2),
                    new Pool("r1-leaf-1", 1, "leaf-1", 2),
                    new Pool("r2-all", 2, "", 9))),
            Reconcilers.REAL);
    assertThat(run.pods()).extracting(PodView::node).containsExactly("node-0", "node-1");
    run.world().spiderpool().pools().patch("r1-leaf-0", p -> p.sized(1));

    run.levers().rankDies(Given.KEY, 1, 1);
    run.untilOver();

    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(run.only().attempt()).isEqualTo(1);
    assertThat(run.pods()).extracting(PodView::node).contains("node-0", "node-2");
  }

  @Test
  void shouldHoldWhereTheSpareNodeLacksARail() {
    SimulatedJob run = run(EXACT);
    run.world().spiderpool().lastRailGone("node-3", true);

    breakQuietly(run);
    assertThat(held(run)).contains("1 short of spidernet.io/rail2 for net2 (spiderpool/rail2)");

    run.world().spiderpool().lastRailGone("node-3", false);
    run.untilOver();
    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
  }

  @Test
  void shouldReplaceAPodInPlaceInAPoolWithoutASpareAddress() {
    SimulatedJob run = run(EXACT);

    run.stateFault("node-1");
    run.untilOver();

    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(Objects.requireNonNull(run.only().plan()).restart()).isEqualTo(RestartWay.IN_PLACE);
    assertThat(run.world().spiderpool().leaked()).isEmpty();
  }

  /** The kubelet of a node hangs: its pod goes only by force, and comes back under its name. */
  @ParameterizedTest
  @EnumSource
  void shouldWaitForTheAddressOfAPodThatIsRemovedByForce(RestartMode way) {
    SimulatedJob run = run(Given.job().way(way).setup(), EXACT, Reconcilers.REAL);
    run.levers().nodeDies("node-1");
    Instant broken = run.now();

    run.untilOver();

    assertThat(run.newest().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(run.world().spiderpool().leaked()).isEmpty();
    assertThat(Duration.between(broken, run.now())).isLessThan(Duration.ofMinutes(3));
  }

  /** Whether the name comes back before Spiderpool's trace runs is a matter of moments. */
  @Test
  void shouldLeakNoAddress() {
    assertThat(leaks(Reconcilers.REAL)).isZero();
  }

  @Test
  void shouldCatchAControllerThatForcesAtOnce() {
    assertThatThrownBy(() -> leaks(BrokenAddresses.forcingAtOnce()))
        .hasMessageContaining("is removed by force, and node node-1 answers");
  }

  private long leaks(Reconcilers.Factory made) {
    long leaks = 0;
    for (int moment = 0; moment < 8; moment++) {
      SimulatedJob run = run(Given.job().setup(), EXACT, made);
      run.runFor(Duration.ofMillis(700L * moment));
      run.stateFault("node-1");
      run.runFor(Duration.ofMinutes(2));
      leaks += run.world().spiderpool().leaked().isEmpty() ? 0 : 1;
    }
    return leaks;
  }

  @Test
  void shouldCatchAControllerThatIgnoresPools() {
    SimulatedJob run =
        run(
            Given.job().ranks(2, 8).setup(),
            new RailSetup(
                2, List.of(new Pool("r1-leaf-0", 1, "leaf-0", 9), new Pool("r2-all", 2, "", 9))),
            BrokenAddresses.blind());
    run.stateFault("node-1");

    assertThatThrownBy(() -> run.runFor(Duration.ofMinutes(2)))
        .hasMessageContaining("to go to node-2, which lacks a device or an address of a rail");
  }

  @ParameterizedTest
  @EnumSource
  void shouldCatchAControllerThatDoesNotSeeWhoseAddressesAre(RestartMode way) {
    SimulatedJob run = run(Given.job().way(way).setup(), EXACT, BrokenAddresses.blindToBookings());
    run.levers().nodeDies("node-1");

    assertThatThrownBy(run::untilOver)
        .hasMessageContaining("is removed by force; pool r1-all has an address of it");
  }
}
