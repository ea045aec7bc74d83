package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.simulator.process.Answers.Answer;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.process.Reconcilers;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.world.SpareObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A job on node-0 to node-2 that requests a warm spare, in a cluster of five nodes. */
class SimulatedSparesTest {
  private final List<SimulatedJob> runs = new ArrayList<>();

  @AfterEach
  void close() {
    runs.forEach(SimulatedJob::close);
  }

  private SimulatedJob run(int nodes, JobSetup... jobs) {
    SimulatedJob run =
        new SimulatedJob(
            Given.cluster(nodes, Policy.DEFAULT, 2, jobs), new Random(0), 0, Reconcilers.REAL);
    runs.add(run);
    run.runFor(Duration.ofSeconds(60));
    return run;
  }

  private static JobSetup asking() {
    return Given.job().setup().withSpares(1);
  }

  private static List<SpareObject> spares(SimulatedJob run) {
    return run.world().spares().list();
  }

  private static SpareObject only(SimulatedJob run) {
    assertThat(spares(run)).hasSize(1);
    return spares(run).getFirst();
  }

  private static List<String> said(SimulatedJob run) {
    return run.announced().stream().map(event -> event.reason().word()).toList();
  }

  @Test
  void shouldHaveOneBesideAGangThatRuns() {
    SimulatedJob run = run(5, asking());

    assertThat(only(run).view().warm()).isTrue();
    assertThat(run.pods()).extracting(PodView::node).doesNotContain(only(run).node());
    assertThat(said(run)).contains("SpareCreated");
  }

  @Test
  void shouldHaveNoneWhereNoneIsRequestedOrNoNodeHasRoom() {
    assertThat(spares(run(5, Given.job().setup()))).isEmpty();
    SimulatedJob full = run(3, asking());
    assertThat(spares(full)).isEmpty();
    assertThat(said(full)).contains("SpareWanting");
  }

  @ParameterizedTest
  @EnumSource
  void shouldGiveItsRoomToTheGangAndMakeAnother(RestartMode way) {
    SimulatedJob run = run(5, asking().withWay(way));
    String warm = only(run).node();
    String uid = only(run).meta().uid();

    run.stateFault("node-1");
    run.untilOver();
    run.runFor(Duration.ofSeconds(90));

    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(said(run)).contains("SpareReleased");
    if (way == RestartMode.IN_PLACE) {
      assertThat(run.pods()).extracting(PodView::node).contains(warm);
    }
    assertThat(only(run).meta().uid()).isNotEqualTo(uid);
    assertThat(run.pods()).extracting(PodView::node).doesNotContain(only(run).node());
  }

  /** The last free node is the one that its spare holds. */
  @ParameterizedTest
  @EnumSource
  void shouldNotBeHeldForRoomThatItsOwnSpareHas(RestartMode way) {
    SimulatedJob run = run(4, asking().withWay(way));
    assertThat(only(run).node()).isEqualTo("node-3");

    run.stateFault("node-1");
    run.untilOver();

    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(run.pods()).extracting(PodView::node).contains("node-3");
    assertThat(said(run)).doesNotContain("RecoveryHeld");
  }

  @Test
  void shouldGiveWayToAnotherJob() {
    SimulatedJob run = run(6, asking());
    assertThat(spares(run)).hasSize(1);

    run.world().submit(Given.job().named("late").setup());
    run.runFor(Duration.ofSeconds(60));

    assertThat(run.world().pods().list())
        .filteredOn(pod -> pod.job().name().equals("late"))
        .hasSize(3)
        .noneMatch(pod -> pod.node().isEmpty());
    assertThat(spares(run)).isEmpty();
  }

  @Test
  void shouldLeaveANodeThatIsCordonedAndGoWithItsJob() {
    SimulatedJob run = run(5, asking());
    String node = only(run).node();

    run.levers().cordon(node);
    run.runFor(Duration.ofSeconds(90));
    assertThat(only(run).node()).isNotEqualTo(node);

    run.levers().suspend(Given.KEY);
    run.runFor(Duration.ofSeconds(30));
    assertThat(spares(run)).isEmpty();
  }

  @Test
  void shouldNotRetryAllTheTimeWhereSparesAreRefused() {
    SimulatedJob run =
        new SimulatedJob(
            Given.cluster(5, Policy.DEFAULT, 1, asking()), new Random(0), 0, Reconcilers.REAL);
    runs.add(run);
    run.answers()
        .add(
            new Answer(
                java.util.Set.of(Call.ADD_SPARE), null, 403, "no spares", Duration.ZERO, null));
    run.runFor(Duration.ofMinutes(4));

    assertThat(spares(run)).isEmpty();
    assertThat(said(run).stream().filter("SpareWanting"::equals)).hasSize(1);
    run.stateFault("node-1");
    run.untilOver();
    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
  }
}
