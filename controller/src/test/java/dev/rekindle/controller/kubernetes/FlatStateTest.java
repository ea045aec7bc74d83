package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankReport;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RestartReport;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.kubeflow.v1.PyTorchJob;

/** Jobs, their pods, reports and recoveries, and policies. */
class FlatStateTest extends FlatStateFixture {
  private static Recovery recovery(int version, String phase) {
    return object(
        Recovery.class,
        """
        metadata: {name: mnist-r1, namespace: team, uid: r, resourceVersion: "%d"}
        spec: {jobRef: {apiVersion: kubeflow.org/v1, kind: PyTorchJob, name: mnist, uid: u}}
        status: {phase: %s}
        """
            .formatted(version, phase));
  }

  @Test
  void shouldFindPodsByJobAndJobsByNode() {
    feeds.pods().present(pod("a", "n1", "Running", 1));
    feeds.pods().present(pod("b", "n2", "Pending", 2));
    assertThat(state.pods(JOB)).extracting(PodView::name).containsExactlyInAnyOrder("a", "b");
    assertThat(state.pods(JOB)).extracting(PodView::index).containsOnly(-1);
    assertThat(state.jobsOn("n1")).containsExactly(JOB);
    assertThat(state.jobsOn("n3")).isEmpty();
    feeds.pods().gone(pod("a", "", "Running", 3));
    assertThat(state.jobsOn("n1")).isEmpty();
    assertThat(changed).containsExactly("job team/mnist", "job team/mnist", "job team/mnist");
  }

  @Test
  void shouldReadItsOwnWritesEvenWhenTheirEventsComeLate() {
    feeds.recoveries().present(recovery(10, "Detected"));
    state.stored(Views.recovery(recovery(12, "Draining")).orElseThrow());
    feeds.recoveries().present(recovery(11, "Fencing"));
    assertThat(state.recoveries(JOB))
        .extracting(RecoveryView::resourceVersion)
        .containsExactly("12");
    feeds.recoveries().present(recovery(13, "Planning"));
    assertThat(state.recoveries(JOB).getFirst().resourceVersion()).isEqualTo("13");
  }

  @Test
  void shouldKeepRanksOfAJobAndIgnoreThoseWithoutAStatus() {
    String report =
        """
        metadata: {name: %s, namespace: team, resourceVersion: "1"}
        spec: {pod: a, podUid: u, node: n1, job: mnist}
        %s
        """;
    feeds.ranks().present(object(RankReport.class, report.formatted("a-u.n1", "")));
    assertThat(state.ranks(JOB)).isEmpty();
    feeds
        .ranks()
        .present(
            object(
                RankReport.class,
                report.formatted("a-u.n1", "status: {restartCount: 2, lastStep: 7}")));
    assertThat(state.ranks(JOB)).extracting(RankView::lastStep).containsExactly(7L);
  }

  /** Admission keeps agents from each other's names; what has another name is no one's word. */
  @ParameterizedTest
  @ValueSource(strings = {"a-u", "a-u.n2", "a-u.x.n1", "b-u.n1"})
  void shouldIgnoreReportsThatHaveNotTheNameTheirNodeGivesThem(String name) {
    feeds
        .ranks()
        .present(
            object(
                RankReport.class,
                """
                metadata: {name: %s, namespace: team, resourceVersion: "1"}
                spec: {pod: a, podUid: u, node: n1, job: mnist}
                status: {restartCount: 2, lastStep: 7}
                """
                    .formatted(name)));
    assertThat(state.ranks(JOB)).isEmpty();
    String restart =
        """
        metadata: {name: %s, namespace: team, resourceVersion: "1"}
        spec: {order: mnist-r1-1, orderUid: u, node: n1, job: mnist}
        """;
    feeds.restarts().present(object(RestartReport.class, restart.formatted(name)));
    assertThat(state.restarts(JOB)).isEmpty();
    feeds.restarts().present(object(RestartReport.class, restart.formatted("mnist-r1-1.n1")));
    assertThat(state.restarts(JOB)).hasSize(1);
  }

  private void rank(int pod, String node) {
    rank(pod, node, "team");
  }

  private void rank(int pod, String node, String namespace) {
    feeds
        .ranks()
        .present(
            object(
                RankReport.class,
                """
                metadata: {name: p%1$d-u.%2$s, namespace: %3$s, resourceVersion: "1"}
                spec: {pod: p%1$d, podUid: u, node: %2$s, job: mnist}
                status: {lastStep: 7}
                """
                    .formatted(pod, node, namespace)));
  }

  /** The token of one agent could else fill the memory of the controller. */
  @Test
  void shouldTakeInSoManyReportsOfANodeAndThoseOfOthers() {
    for (int i = 0; i < 1_030; i++) {
      rank(i, "n1");
    }
    rank(1, "n2");
    assertThat(state.ranks(JOB)).hasSize(1_024 + 1);

    feeds
        .ranks()
        .gone(
            object(
                RankReport.class,
                "metadata: {name: p0-u.n1, namespace: team, resourceVersion: '2'}"));
    rank(1_029, "n1");
    assertThat(state.ranks(JOB)).hasSize(1_024 + 1);
    assertThat(state.ranks(JOB)).extracting(RankView::pod).contains("p1029").doesNotContain("p0");
  }

  /** Who may create pods has an agent write reports: each failed pod that names a node has one. */
  @Test
  void shouldTakeInReportsOfOneNamespaceHoweverManyThereAreOfAnotherOnTheNode() {
    for (int i = 0; i < 1_030; i++) {
      rank(i, "n1", "other");
    }
    rank(1, "n1");
    rank(2, "n1");
    rank(2_000, "n1", "other");

    assertThat(state.ranks(JOB)).extracting(RankView::pod).containsExactly("p1", "p2");
    assertThat(state.ranks(new JobKey("other", "mnist")))
        .hasSize(1_022)
        .extracting(RankView::pod)
        .doesNotContain("p0", "p1", "p2000");
  }

  private void restart(int order, String version) {
    feeds
        .restarts()
        .present(
            object(
                RestartReport.class,
                """
                metadata: {name: o%1$d.n1, namespace: team, resourceVersion: "%2$s"}
                spec:
                  {order: o%1$d, orderUid: u, node: n1, job: mnist, ranks: [{podUid: u, rank: 1}]}
                """
                    .formatted(order, version)));
  }

  /** Evidence may have a MiB for each report. */
  @Test
  void shouldKeepTheEvidenceOfFewReportsOfANode() {
    for (int i = 0; i < 10; i++) {
      restart(i, "1");
    }
    restart(0, "2");

    assertThat(state.restarts(JOB)).hasSize(10);
    assertThat(state.restarts(JOB))
        .filteredOn(r -> r.spec().ranks().isEmpty())
        .hasSize(2)
        .allMatch(r -> r.spec().leftOut() == 1);
  }

  @Test
  void shouldReconcileEveryJobAndNodeWhenAPolicyChanges() {
    state.nodeFeed().present("n1", "1", Given.node("n1"));
    feeds
        .jobs()
        .present(
            object(
                PyTorchJob.class,
                "metadata: {name: mnist, namespace: team, resourceVersion: '1'}"));
    changed.clear();
    assertThat(state.policy("default")).isEmpty();
    feeds
        .policies()
        .present(
            object(
                RecoveryPolicy.class,
                "metadata: {name: default, resourceVersion: '2'}\n"
                    + "spec: {detection: {stallSeconds: 70}}"));
    assertThat(state.policy("default")).map(Policy::stall).hasValue(Duration.ofSeconds(70));
    assertThat(changed).containsExactly("job team/mnist", "node n1");
  }

  @Test
  void shouldTreatAnObjectThatCannotBeReadAsAbsentAndContinue() {
    RecoveryPolicy nonsense =
        object(
            RecoveryPolicy.class,
            "metadata: {name: default, resourceVersion: '2'}\nspec: {mode: whatever}");
    feeds.policies().present(nonsense);
    assertThat(state.policy("default")).isEmpty();
    feeds.pods().present(pod("a", "n1", "Running", 3));
    assertThat(state.pods(JOB)).hasSize(1);
  }
}
