package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.JobRef;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.recovery.RefusingCluster.Call;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of a recovery when the API server refuses what it needs. */
class JobReconcilerTest extends JobReconcilerFixture {
  /** Those that a rebuild needs. */
  private static final Set<CallKind> NEEDED =
      EnumSet.of(
          CallKind.CORDON,
          CallKind.SUSPEND,
          CallKind.REVIVE,
          CallKind.DELETE_POD,
          CallKind.LIST_PODS,
          CallKind.RESUME);

  private static final Set<CallKind> OPTIONAL =
      EnumSet.of(CallKind.START_INSPECTOR, CallKind.STOP_INSPECTOR);
  private static final List<Integer> STATUSES = List.of(400, 403, 409, 413, 422, 429, 500, 503, 0);

  static Stream<Arguments> needed() {
    return NEEDED.stream()
        .flatMap(kind -> STATUSES.stream().map(status -> Arguments.of(kind, status)));
  }

  static Stream<Arguments> optional() {
    return OPTIONAL.stream()
        .flatMap(kind -> STATUSES.stream().map(status -> Arguments.of(kind, status)));
  }

  @Test
  void shouldSayOnceThatTheStepsOfAJobAreNotSeen() {
    var cluster = new RefusingCluster(job());
    for (var pod : cluster.state.pods(cluster.job().key())) {
      var report = Given.rank(pod, null, null, cluster.now).withStepless(true);
      cluster
          .state
          .rankFeed()
          .present("%s/%s".formatted(pod.job().namespace(), pod.name()), "1000000", report);
    }
    run(cluster, reconciler(cluster), Duration.ofMinutes(1));
    assertThat(cluster.said)
        .extracting(ClusterEvent::reason)
        .containsExactly(Reason.STEPS_NOT_SEEN);
  }

  @Test
  void shouldRecoverWhenNothingIsRefused() {
    RefusingCluster cluster = cluster(CallKind.OPEN);
    run(cluster, reconciler(cluster), Duration.ofMinutes(1));
    assertThat(status(cluster).phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(cluster.violations).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("needed")
  void shouldHoldWithTheWordsOfTheApiServerAndGoOnWhenItAccepts(CallKind kind, int status) {
    RefusingCluster cluster = cluster(kind);
    cluster.refuse(kind, () -> answer(status));
    JobReconciler reconciler = reconciler(cluster);

    run(
        cluster,
        reconciler,
        Duration.ofMinutes(status == 409 || status >= 429 || status == 0 ? 5 : 1));
    RecoveryStatus held = status(cluster);
    assertThat(held.phase()).isEqualTo(RecoveryPhase.HELD);
    HoldReason reason = status == 0 || status >= 429 ? HoldReason.UNAVAILABLE : HoldReason.REFUSED;
    assertThat(HoldReason.of(held)).contains(reason);
    assertThat(held.conditions())
        .allSatisfy(
            c ->
                assertThat(c.getMessage())
                    .startsWith(reason.word() + ": " + kind.verb())
                    .contains(TEXT, status == 0 ? "no answer" : Integer.toString(status)));
    assertThat(cluster.said)
        .filteredOn(a -> a.reason() == Reason.RECOVERY_HELD)
        .singleElement()
        .satisfies(a -> assertThat(a.note()).contains(TEXT));
    assertThat(mostPerMinute(cluster, kind)).isLessThan(20);
    run(cluster, reconciler, Duration.ofMinutes(10));
    assertThat(status(cluster).phase()).isEqualTo(RecoveryPhase.HELD);
    long before = cluster.calls.size();
    run(cluster, reconciler, Duration.ofMinutes(10));
    assertThat(cluster.calls.size() - before)
        .as("it is still asked for, seldom")
        .isBetween(5L, 130L);
    assertThat(status(cluster).timeline()).as("and said once").hasSizeLessThan(10);
    cluster.acceptAll();
    run(cluster, reconciler, Duration.ofMinutes(2));
    assertThat(status(cluster).phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(cluster.job().suspended()).isFalse();
    assertThat(cluster.violations).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("optional")
  void shouldGoOnWithoutWhatItCanDoWithout(CallKind kind, int status) {
    RefusingCluster cluster = cluster(kind);
    cluster.refuse(kind, () -> answer(status));
    run(cluster, reconciler(cluster), Duration.ofMinutes(4));
    assertThat(status(cluster).phase()).isEqualTo(RecoveryPhase.RECOVERED);
    if (kind == CallKind.START_INSPECTOR) {
      assertThat(
              Objects.requireNonNull(Objects.requireNonNull(status(cluster).plan()).checkpoint()))
          .satisfies(pin -> assertThat(pin.verdict()).isEqualTo(CheckpointVerdict.UNKNOWN))
          .satisfies(pin -> assertThat(pin.message()).contains(TEXT));
    }
    assertThat(mostPerMinute(cluster, kind)).isLessThan(40);
    assertThat(cluster.violations).isEmpty();
  }

  @Test
  void shouldStayHeldUnderANewLeader() {
    RefusingCluster cluster = cluster(CallKind.SUSPEND);
    cluster.refuse(CallKind.SUSPEND, () -> answer(403));
    run(cluster, reconciler(cluster), Duration.ofMinutes(1));
    int entries = status(cluster).timeline().size();
    run(cluster, reconciler(cluster), Duration.ofMinutes(5));
    assertThat(status(cluster).phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(status(cluster).timeline()).hasSize(entries);
  }

  @Test
  void shouldDeleteNoPodWhoseJobIsNotSuspended() {
    RefusingCluster cluster = cluster(CallKind.SUSPEND);
    cluster.refuse(
        CallKind.SUSPEND, () -> new StaleException("job was resumed as attempt demo-r7-1"));
    run(cluster, reconciler(cluster), Duration.ofMinutes(10));
    assertThat(cluster.calls).extracting(Call::kind).doesNotContain(CallKind.DELETE_POD);
    assertThat(status(cluster).phase()).isEqualTo(RecoveryPhase.HELD);
  }

  @Test
  void shouldSayAgainThatTheBudgetIsSpentOnceItHasRestartedTheJobInBetween() {
    RefusingCluster cluster = new RefusingCluster(job().restartMode(RestartMode.REBUILD));
    JobReconciler reconciler = reconciler(cluster);
    allow(cluster, 0);
    cluster.fault(fault("node-1", "XID-79", FenceGuidance.ALWAYS));
    run(cluster, reconciler, Duration.ofSeconds(10));
    assertThat(exhausted(cluster)).isEqualTo(1);
    allow(cluster, 1);
    run(cluster, reconciler, Duration.ofMinutes(5));
    cluster.fault(fault("node-2", "XID-79", FenceGuidance.ALWAYS));
    run(cluster, reconciler, Duration.ofSeconds(10));
    assertThat(exhausted(cluster)).isEqualTo(2);
  }

  @Test
  void shouldNotSayThatNothingIsTheMatterWhileReportsDecide() {
    RefusingCluster cluster = new RefusingCluster(job());
    RecoverySpec spec =
        new RecoverySpec(
            JobRef.pyTorchJob(cluster.job().key().name(), cluster.job().uid()), cluster.now, null);
    String namespace = cluster.job().key().namespace();
    var _ = cluster.open(new RecoveryView(namespace, "demo-r1", "", "", spec, null));
    var _ = reconciler(cluster).reconcile(cluster.job().key());
    assertThat(status(cluster).phase()).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(status(cluster).cause())
        .extracting(RecoveryStatus.Cause::reason, RecoveryStatus.Cause::message)
        .containsExactly("Watched", "no recovery is needed so far: trains");
  }

  private static void allow(RefusingCluster cluster, int restarts) {
    cluster
        .state
        .policyFeed()
        .present(
            "default", Integer.toString(100 + restarts), Policy.DEFAULT.withMaxRestarts(restarts));
  }

  private static long exhausted(RefusingCluster cluster) {
    return cluster.said.stream().filter(a -> a.reason() == Reason.BUDGET_EXHAUSTED).count();
  }
}
