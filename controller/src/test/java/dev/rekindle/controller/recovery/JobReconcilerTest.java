package dev.rekindle.controller.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.SpareView;
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
  void shouldRecoverWhenNothingIsRefused() {
    RefusingCluster cluster = cluster(CallKind.OPEN);
    run(cluster, reconciler(cluster), Duration.ofMinutes(1));
    assertThat(status(cluster).phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(cluster.violations).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("needed")
  void shouldHoldWithTheWordsOfTheApiServerAndContinueWhenItAccepts(CallKind kind, int status) {
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
  void shouldContinueWithoutWhatItCanDoWithout(CallKind kind, int status) {
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

  /** Spares do not rest on the recovery (seed 92312134). */
  @Test
  void shouldRemoveASpareThatIsNotRequestedWhileTheStatusIsRefused() {
    RefusingCluster cluster = cluster(CallKind.SAVE);
    cluster.refuse(CallKind.SAVE, () -> answer(403));
    SpareView spare =
        new SpareView(
            cluster.job().key(),
            "demo-spare-0",
            0,
            "uid-of-spare",
            cluster.job().uid(),
            "t1",
            "node-3",
            PodView.Phase.RUNNING,
            false,
            8,
            Amounts.NONE,
            Given.T0);
    cluster.state.spareFeed().present("team/demo-spare-0", "1", spare);

    run(cluster, reconciler(cluster), Duration.ofMinutes(1));

    assertThat(cluster.calls).extracting(Call::kind).contains(CallKind.RELEASE_SPARE);
  }
}
