package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoveryEvent;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.runtime.ParallelExecutor;
import dev.rekindle.controller.telemetry.Metrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What goes with the status of a recovery when it moves on. */
class RecoveryWriterTest {
  private final RefusingCluster cluster = new RefusingCluster(job());
  private final JobKey key = cluster.job().key();
  private final Metrics metrics = new Metrics(new PrometheusRegistry());
  private final InspectorSession inspectors = new InspectorSession(cluster);
  private final RecoveryWriter writer =
      new RecoveryWriter(
          cluster.state,
          cluster,
          metrics,
          () -> cluster.now,
          new Effects(cluster, metrics, () -> cluster.now, ParallelExecutor.inOrder(), inspectors),
          inspectors,
          new JobEvents(cluster, metrics, () -> cluster.now));

  @Test
  void shouldSayOnTheJobThatIsThereWhatHoldsUpTheEndOfAFormerOnesRecovery() {
    cluster.refuse(CallKind.SAVE, () -> new RefusedException(403, "exceeded quota"));
    RecoverySpec spec =
        new RecoverySpec(JobRef.pyTorchJob(key.name(), "uid-of-a-former-job"), T0, null);
    RecoveryView former = new RecoveryView(key.namespace(), "demo-r1", "uid-r", "1", spec, null);

    for (int i = 0; i < EffectFailure.REFUSALS; i++) {
      assertThatThrownBy(() -> writer.save(key, former)).isInstanceOf(RefusedException.class);
    }

    assertThat(cluster.said)
        .extracting(ClusterEvent::reason, ClusterEvent::jobUid)
        .containsExactly(tuple(Reason.API_REFUSED, cluster.job().uid()));
  }

  @ParameterizedTest
  @CsvSource({
    "PLANNING, DRAINING, false",
    "RESUMING, DRAINING, false",
    "VERIFYING, DRAINING, false",
    "PLANNING, FENCING, false",
    "FENCING, DRAINING, true",
    "DRAINING, PLANNING, true",
    "PLANNING, RESUMING, true"
  })
  void shouldCountNoScanOfBeforeAGangDrainedAgain(
      RecoveryPhase left, RecoveryPhase entered, boolean counts) {
    inspectors.start(key, cluster.job().uid(), "demo-r1");
    var _ = inspectors.read(key, "demo-r1");
    Long floor = inspectors.scanFloor(key, "demo-r1");
    assertThat(floor).isNotNull();
    RecoveryStatus status = status(left);

    var _ =
        writer.move(
            key,
            Given.recovery("demo-r1", T0, status),
            RecoveryStatusBuilder.enter(status, entered, "try again", cluster.now),
            List.of());

    assertThat(inspectors.started(key, "demo-r1")).isEqualTo(counts);
    assertThat(inspectors.scanFloor(key, "demo-r1")).isEqualTo(counts ? floor : null);
  }

  /** Seed 91004551: the end of a recovery was stored, and its event and its notes were lost. */
  @Test
  void shouldMakeKnownOnceWhatWasStoredWithoutAnAnswer() {
    RecoveryView from = Given.recovery("demo-r1", T0, status(RecoveryPhase.VERIFYING));
    var note = new Decision.Note(Reason.JOB_RECOVERED, "trains again", "");
    present(from);
    cluster.afterSave =
        () -> {
          throw new StaleException("the object has been modified; 1 is not 2");
        };

    assertThatThrownBy(() -> writer.move(key, from, status(RecoveryPhase.RECOVERED), List.of(note)))
        .isInstanceOf(StaleException.class);
    assertThat(cluster.said).isEmpty();
    writer.makeUnansweredKnown(key);
    writer.makeUnansweredKnown(key);

    assertThat(cluster.said).extracting(ClusterEvent::reason).containsExactly(Reason.JOB_RECOVERED);
  }

  @Test
  void shouldMakeNothingKnownOfWhatWasNotStored() {
    RecoveryView from = Given.recovery("demo-r1", T0, status(RecoveryPhase.VERIFYING));
    var note = new Decision.Note(Reason.JOB_RECOVERED, "trains again", "");
    present(from);
    cluster.refuse(CallKind.SAVE, () -> new RefusedException(403, "exceeded quota"));

    assertThatThrownBy(() -> writer.move(key, from, status(RecoveryPhase.RECOVERED), List.of(note)))
        .isInstanceOf(RefusedException.class);
    writer.makeUnansweredKnown(key);
    cluster.acceptAll();
    var _ = writer.move(key, from, status(RecoveryPhase.CANCELLED), List.of());
    writer.makeUnansweredKnown(key);

    assertThat(cluster.said).isEmpty();
  }

  /** A leader ended right after it had stored a status: no Event said why, and no node. */
  @Test
  void shouldMakeKnownWhatAnotherProcessHasStored() {
    Cause silent =
        new Cause("NodeSilent", "", List.of(), List.of(), List.of("n1"), List.of(), null);
    RecoveryStatus over =
        status(RecoveryPhase.RECOVERED)
            .withCause(silent)
            .withRecentEvents(
                List.of(
                    new RecoveryEvent(cluster.now, "FromALaterVersion", "text", ""),
                    new RecoveryEvent(cluster.now, "CulpritUnknown", "no rank", "n2"),
                    new RecoveryEvent(cluster.now, "JobRecovered", "trains again", "")))
            .withPhaseSince(cluster.now);
    RecoveryView from = Given.recovery("demo-r1", T0, over);
    present(from);

    writer.makeTakenOverKnown(key);
    writer.makeTakenOverKnown(key);

    assertThat(cluster.said)
        .extracting(ClusterEvent::reason, ClusterEvent::note, ClusterEvent::node)
        .containsExactly(
            tuple(Reason.CULPRIT_UNKNOWN, "demo-r1: no rank", "n2"),
            tuple(Reason.JOB_RECOVERED, "demo-r1: trains again", ""));
    assertThat(cluster.incidents).containsExactly("n1 team/demo-r1");
  }

  @Test
  void shouldNameTheEventsOfATransitionInItsStatus() {
    RecoveryView from = Given.recovery("demo-r1", T0, status(RecoveryPhase.VERIFYING));
    var note = new Decision.Note(Reason.JOB_RECOVERED, "trains again", "n1");

    RecoveryView stored = writer.move(key, from, status(RecoveryPhase.RECOVERED), List.of(note));
    present(stored);
    writer.makeTakenOverKnown(key);

    assertThat(Objects.requireNonNull(stored.status()).recentEvents())
        .containsExactly(new RecoveryEvent(cluster.now, "JobRecovered", "trains again", "n1"));
    assertThat(cluster.said).hasSize(1);
  }

  private void present(RecoveryView recovery) {
    cluster
        .state
        .recoveryFeed()
        .present(recovery.namespace() + "/" + recovery.name(), "1", recovery);
  }

  private static RecoveryStatus status(RecoveryPhase phase) {
    Cause cause = new Cause("XID-79", "", List.of(), List.of(), List.of(), List.of(), null);
    Plan plan = new Plan(RestartWay.REBUILD, "", List.of(), List.of(), Map.of(), null);
    return new RecoveryStatus(phase, T0, 1, null, cause, plan, null, List.of(), List.of());
  }
}
