package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.fencing.NodeWrites;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.telemetry.Metrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is written on nodes, where the API server does not accept it at once. */
class NodeNotesTest {
  private static final JobKey JOB = new JobKey("team", "demo");

  private final RefusingCluster cluster = new RefusingCluster(job());
  private final NodeNotes notes =
      new NodeNotes(
          new NodeWrites(cluster, new Metrics(new PrometheusRegistry()), () -> cluster.now),
          () -> cluster.now);
  private final Map<String, Supplier<RuntimeException>> refusals = new HashMap<>();
  private final Set<String> written = new HashSet<>();
  private final List<Instant> calls = new ArrayList<>();

  private static RuntimeException no() {
    return new RefusedException(403, "no");
  }

  private void write(String node) {
    calls.add(cluster.now);
    if (refusals.containsKey(node)) {
      throw refusals.get(node).get();
    }
    written.add(node);
  }

  private void write(List<String> nodes) {
    notes.write(JOB, nodes, "note it", this::write);
  }

  /** Asks again for as long as it is asked to. */
  private void reconcileFor(Duration time) {
    Instant end = cluster.now.plus(time);
    for (Optional<Duration> again = notes.retry(JOB);
        again.isPresent() && cluster.now.plus(again.get()).isBefore(end);
        again = notes.retry(JOB)) {
      assertThat(again.get()).isPositive();
      cluster.now = cluster.now.plus(again.get());
    }
    cluster.now = end;
  }

  @Test
  void shouldWriteOnAllNodesAtOnceAndAskNoMore() {
    write(List.of("node-0", "node-1"));
    assertThat(written).containsExactlyInAnyOrder("node-0", "node-1");
    assertThat(notes.retry(JOB)).isEmpty();
    assertThat(calls).hasSize(2);
  }

  @Test
  void shouldRetryUntilItIsAccepted() {
    refusals.put("node-1", NodeNotesTest::no);
    write(List.of("node-1"));
    reconcileFor(Duration.ofMinutes(10));
    assertThat(written).isEmpty();
    refusals.clear();
    reconcileFor(Duration.ofMinutes(2));
    assertThat(written).containsExactly("node-1");
    assertThat(notes.retry(JOB)).isEmpty();
  }

  @Test
  void shouldRetryWhereTheNodeChangesTooFast() {
    refusals.put("node-1", () -> new StaleException("changes"));
    write(List.of("node-1"));
    refusals.clear();
    reconcileFor(Duration.ofSeconds(5));
    assertThat(written).containsExactly("node-1");
  }

  @Test
  void shouldKeepNoOtherNodeWaitingForOneThatIsRefused() {
    refusals.put("node-0", NodeNotesTest::no);
    write(List.of("node-0", "node-1", "node-2"));
    reconcileFor(Duration.ofMinutes(1));
    assertThat(written).containsExactlyInAnyOrder("node-1", "node-2");
  }

  /** Sixty-four writes that the API server never answers must not be one reconcile. */
  @Test
  void shouldMakeOneCallAtATimeWhereNoneIsAccepted() {
    List<String> nodes = IntStream.range(0, 100).mapToObj(i -> "node-" + i).toList();
    nodes.forEach(node -> refusals.put(node, NodeNotesTest::no));
    write(nodes);
    cluster.now = cluster.now.plusSeconds(1);
    reconcileFor(Duration.ofMinutes(5));
    assertThat(calls).doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(301);
  }

  @Test
  void shouldGiveUpAfterAnHour() {
    refusals.put("node-1", NodeNotesTest::no);
    write(List.of("node-1"));
    reconcileFor(Duration.ofHours(2));
    assertThat(notes.retry(JOB)).isEmpty();
    assertThat(calls).isNotEmpty().allMatch(at -> at.isBefore(T0.plus(Duration.ofMinutes(62))));
    assertThat(calls.size()).isBetween(50, 100);
  }

  @Test
  void shouldKeepTheNewestNotesOnly() {
    List<String> nodes = IntStream.range(0, 100).mapToObj(i -> "node-" + i).toList();
    nodes.forEach(node -> refusals.put(node, NodeNotesTest::no));
    write(nodes);
    refusals.clear();
    reconcileFor(Duration.ofMinutes(5));
    assertThat(written).hasSize(64).contains("node-99").doesNotContain("node-0");
  }
}
