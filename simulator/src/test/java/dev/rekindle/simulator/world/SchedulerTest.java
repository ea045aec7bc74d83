package dev.rekindle.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.setup.JobSetup;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes of eight GPUs: node-0 and node-1 on leaf-0, node-2 and node-3 on leaf-1. */
class SchedulerTest {
  private static final Duration SOON = Duration.ofSeconds(2);

  private Simulation simulation = Simulation.of(Given.cluster(0));

  @AfterEach
  void close() {
    simulation.close();
  }

  @ParameterizedTest
  @CsvSource({
    // nodes, ranks, GPUs of each, bound, most on a node
    "4, 3, 8, 3, 1",
    "2, 3, 8, 2, 1",
    "2, 3, 4, 3, 2",
    "2, 5, 3, 4, 2",
    "2, 3, 9, 0, 0",
    "1, 9, 1, 8, 8",
  })
  void shouldBindNoMoreThanANodesGpus(int nodes, int ranks, int gpus, int bound, int most) {
    begin(nodes, Given.job().ranks(ranks, gpus).setup());

    assertThat(bound(Given.KEY)).hasSize(bound);
    assertThat(perNode().values().stream().mapToLong(Long::longValue).max().orElse(0))
        .isEqualTo(most);
    assertThat(waiting(Given.KEY)).hasSize(ranks - bound);
  }

  @Test
  void shouldSayOfAPodThatItIsUnschedulableAndPlaceItOnceThereIsRoom() {
    simulation.close();
    simulation = Simulation.of(Given.cluster(3, Given.job().setup()));
    simulation.levers().cordon("node-1");
    simulation.runFor(SOON);

    assertThat(waiting(Given.KEY))
        .hasSize(1)
        .allSatisfy(
            pod -> {
              assertThat(pod.phase()).isEqualTo(Phase.PENDING);
              assertThat(Objects.requireNonNull(pod.failure()).kind()).isEqualTo("Unschedulable");
            });
    simulation.runFor(Duration.ofMinutes(5));
    assertThat(bound(Given.KEY)).hasSize(2);

    simulation.levers().uncordon("node-1");
    simulation.runFor(SOON);

    assertThat(perNode())
        .containsExactlyInAnyOrderEntriesOf(Map.of("node-0", 1L, "node-1", 1L, "node-2", 1L));
    assertThat(simulation.pods(Given.KEY)).allMatch(p -> p.failure() == null);
  }

  @Test
  void shouldAvoidTheNodesThatThePodRulesOut() {
    begin(4, template(List.of("node-0", "node-2"), Map.of()), Given.job().setup());

    assertThat(perNode()).containsOnlyKeys("node-1", "node-3");
    assertThat(waiting(Given.KEY)).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"leaf-0, node-0 node-1", "leaf-1, node-2 node-3"})
  void shouldTakeThePreferredLeafFirst(String leaf, String nodes) {
    begin(
        4,
        template(List.of(), Map.of(NodeObject.LEAF, List.of(leaf))),
        Given.job().ranks(2, 8).setup());

    assertThat(String.join(" ", perNode().keySet())).isEqualTo(nodes);
  }

  @Test
  void shouldTakeAnotherLeafWhereThePreferredOneIsFullOrRuledOut() {
    begin(
        4,
        template(List.of("node-3"), Map.of(NodeObject.LEAF, List.of("leaf-1", "leaf-7"))),
        Given.job().setup());

    assertThat(perNode()).containsOnlyKeys("node-0", "node-1", "node-2");
  }

  @Test
  void shouldNotBindToANodeThatIsNotReady() {
    simulation.close();
    simulation = Simulation.of(Given.cluster(4));
    simulation.levers().nodeDies("node-0");
    simulation.runFor(Duration.ofMinutes(1));
    simulation.world().submit(Given.job().setup());
    simulation.runFor(SOON);

    assertThat(perNode()).containsOnlyKeys("node-1", "node-2", "node-3");
  }

  @Test
  void shouldCountTheGpusOfAPodAsFreeOnceItHasFailedAndNotBefore() {
    JobSetup failing = Given.job().named("failing").restart(RestartPolicy.NEVER).setup();
    begin(3, failing);
    simulation.runFor(Duration.ofMinutes(1));
    simulation.world().submit(Given.job().ranks(1, 8).setup());
    simulation.runFor(SOON);
    assertThat(waiting(Given.KEY)).hasSize(1);
    String node = simulation.pods(failing.key()).get(1).node();

    simulation.levers().rankDies(failing.key(), 1, 1);
    simulation.runFor(Duration.ofSeconds(5));

    assertThat(simulation.pods(failing.key())).hasSize(3);
    assertThat(bound(Given.KEY)).extracting(PodView::node).containsExactly(node);
  }

  @Test
  void shouldKeepThePlaceOfAPodThatIsStillBeingEnded() {
    JobSetup leaving = Given.job().named("leaving").ranks(1, 8).setup();
    begin(1, leaving);
    simulation.runFor(Duration.ofMinutes(1));
    simulation.world().submit(Given.job().ranks(1, 8).setup());

    simulation.levers().suspend(leaving.key());
    simulation.runFor(Duration.ofSeconds(25));

    assertThat(simulation.pods(leaving.key()))
        .extracting(PodView::terminating)
        .containsExactly(true);
    assertThat(bound(Given.KEY)).isEmpty();
    simulation.runFor(Duration.ofSeconds(15));
    assertThat(simulation.pods(leaving.key())).isEmpty();
    assertThat(bound(Given.KEY)).hasSize(1);
  }

  @Test
  void shouldServeWhoWaitsLongestFirst() {
    JobSetup old = Given.job().named("old").ranks(2, 8).setup();
    simulation.close();
    simulation = Simulation.of(Given.cluster(2, old));
    simulation.levers().cordon("node-0");
    simulation.levers().cordon("node-1");
    simulation.runFor(SOON);
    simulation.world().submit(Given.job().named("young").ranks(2, 8).setup());
    simulation.runFor(SOON);

    simulation.levers().uncordon("node-1");
    simulation.levers().uncordon("node-0");
    simulation.runFor(SOON);

    assertThat(simulation.pods(old.key()))
        .extracting(PodView::name, p -> p.node().isEmpty())
        .containsExactlyInAnyOrder(tuple("old-master-0", false), tuple("old-worker-0", false));
  }

  @Test
  void shouldDoNothingWhileItIsAway() {
    simulation.close();
    simulation = Simulation.of(Given.cluster(4, Given.job().setup()));
    simulation.world().controlPlane().schedulerAwayUntil(simulation.now().plusSeconds(30));

    simulation.runFor(Duration.ofMillis(29_999));
    assertThat(bound(Given.KEY)).isEmpty();
    simulation.runFor(SOON);

    assertThat(bound(Given.KEY)).hasSize(3);
  }

  private static JobObject.Template template(
      List<String> excluded, Map<String, List<String>> preferred) {
    return new JobObject.Template("", "", -1, excluded, List.of(), preferred, "");
  }

  private void begin(int nodes, JobSetup job) {
    begin(nodes, JobObject.Template.PLAIN, job);
  }

  private void begin(int nodes, JobObject.Template template, JobSetup job) {
    simulation.close();
    simulation = Simulation.of(Given.cluster(nodes, job));
    simulation.world().jobs().patch(job.key().toString(), j -> j.with(template));
    simulation.runFor(SOON);
  }

  private List<PodView> bound(JobKey job) {
    return simulation.pods(job).stream().filter(p -> !p.node().isEmpty()).toList();
  }

  private List<PodView> waiting(JobKey job) {
    return simulation.pods(job).stream().filter(p -> p.node().isEmpty()).toList();
  }

  private Map<String, Long> perNode() {
    return bound(Given.KEY).stream()
        .collect(Collectors.groupingBy(PodView::node, TreeMap::new, Collectors.counting()));
  }
}
