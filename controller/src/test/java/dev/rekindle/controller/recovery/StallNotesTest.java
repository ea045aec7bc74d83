package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.StallFinding;
import dev.rekindle.api.StallFinding.NamedRank;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.fencing.NodeWrites;
import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.telemetry.Metrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is written on a node that a stall names. */
class StallNotesTest {
  private final RefusingCluster cluster = new RefusingCluster(job());
  private final NodeNotes notes =
      new NodeNotes(
          new NodeWrites(cluster, new Metrics(new PrometheusRegistry()), () -> cluster.now),
          () -> cluster.now);
  private final StallNotes marks = new StallNotes(cluster.state, cluster, notes, () -> cluster.now);

  private static RecoveryStatus status(@Nullable StallFinding stall, String... gang) {
    Cause cause =
        new Cause(Cause.STALLED, "", List.of(), List.of(), List.of(), List.of(), null)
            .withStall(stall);
    RecoveryStatus begun = RecoveryStatusBuilder.begin(cause, List.of(gang), T0);
    return RecoveryStatusBuilder.enter(begun, RecoveryPhase.PLANNING, "frozen", T0);
  }

  private static StallFinding finding(String stallClass, String confidence) {
    return new StallFinding(
        stallClass,
        confidence,
        List.of(new NamedRank(1, "demo-worker-0", "node-1", "waits")),
        List.of(),
        3);
  }

  /** A recovery of that name names node-1, at the time of the cluster. */
  private void names(String recovery, StallFinding stall, String... gang) {
    RecoveryView stored = Given.recovery(recovery, cluster.now, status(stall, gang));
    cluster.state.recoveryFeed().present("team/" + recovery, "1", stored);
    marks.record(status(null, gang), stored);
  }

  private List<NamedStalls.Entry> onNode() {
    return NamedStalls.parse(cluster.state.node("node-1").map(NodeView::stalls).orElseThrow())
        .entries();
  }

  @ParameterizedTest
  @CsvSource({
    "host, high, 1",
    "device-or-link, medium, 1",
    "host, low, 0",
    "program, high, 0",
    "network, high, 0",
    "unknown, low, 0"
  })
  void shouldMarkTheNodeOfARankThatIsNamedWithSomeConfidence(
      String stallClass, String confidence, int marks) {
    names("demo-r1", finding(stallClass, confidence), "node-0", "node-1");
    assertThat(onNode()).hasSize(marks);
    assertThat(onNode()).allMatch(e -> e.device() == stallClass.equals("device-or-link"));
  }

  @Test
  void shouldMarkItOnce() {
    StallFinding stall = finding("host", "high");
    names("demo-r1", stall, "node-0", "node-1");
    RecoveryView later = Given.recovery("demo-r1", T0, status(stall, "node-0", "node-1"));
    marks.record(status(stall, "node-0", "node-1"), later);
    assertThat(onNode()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "node-2, 3600, true",
    "node-0, 3600, false",
    "node-2, 86399, true",
    "node-2, 86400, false",
    "node-1, 3600, false"
  })
  void shouldSeeThatOnlyTheNodeIsTheSame(String other, long seconds, boolean elsewhere) {
    names("demo-r1", finding("host", "high"), "node-0", "node-1");
    cluster.now = cluster.now.plus(Duration.ofSeconds(seconds));
    names("demo-r2", finding("host", "high"), "node-1", other);
    assertThat(onNode().getLast().elsewhere()).isEqualTo(elsewhere);
  }

  /** The node of that name may be another machine by then. */
  @Test
  void shouldDateAStallByItsRecoveryWhoeverWritesItDown() {
    RecoveryView stored =
        Given.recovery("demo-r1", T0, status(finding("host", "high"), "node-0", "node-1"));
    cluster.now = T0.plusSeconds(600);
    marks.record(null, stored);
    assertThat(onNode()).extracting(NamedStalls.Entry::at).containsExactly(T0);
  }

  /** Of a gang whose recovery is gone it is not known where it was. */
  @Test
  void shouldNotGuessWhereAGangWas() {
    names("demo-r1", finding("host", "high"), "node-0", "node-1");
    cluster.state.recoveryFeed().gone("team/demo-r1", "9");
    names("demo-r2", finding("host", "high"), "node-1", "node-2");
    assertThat(onNode()).hasSize(2).noneMatch(NamedStalls.Entry::elsewhere);
  }
}
