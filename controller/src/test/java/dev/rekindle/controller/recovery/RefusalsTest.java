package dev.rekindle.controller.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RefusalsTest {
  private static final Instant NOW = InPlaceScene.NOW;

  private static EffectFailure failure(CallKind kind, int status, Instant since, int times) {
    String text = status == 403 ? "denied" : "down";
    return new EffectFailure(kind, "the job", status, text, since, NOW, times, Duration.ZERO);
  }

  private static RecoverySnapshot with(RecoverySnapshot s, @Nullable EffectFailure failure) {
    return s.withFailures(
        failure == null ? Failures.NONE : new Failures(Map.of(failure.kind(), failure)));
  }

  private static Decision decide(RecoverySnapshot s, Instant now) {
    return RecoveryMachine.decide(s, Policy.DEFAULT, now);
  }

  /** A frozen gang is waiting for what the order, the deletion or the annotation would do. */
  @ParameterizedTest
  @CsvSource({
    "ORDER, 403, 1, 0, false", "ORDER, 403, 3, 3, true", "ORDER, 500, 7, 30, true",
    "DELETE_POD, 403, 2, 1, false", "DELETE_POD, 403, 3, 3, true", "DELETE_POD, 0, 3, 30, true",
    "DELETE_POD, 409, 9, 29, false", "DELETE_POD, 409, 9, 30, true"
  })
  void shouldNotKeepAGangFrozenForWhatIsRefused(
      CallKind kind, int status, int times, int seconds, boolean rebuilt) {
    InPlaceScene scene =
        kind == CallKind.ORDER
            ? new InPlaceScene()
            : new InPlaceScene()
                .ordered(RestartInstruction.FREEZE)
                .reported(0, RestartInstruction.FREEZE, State.FROZEN)
                .reported(1, RestartInstruction.FREEZE, State.FROZEN)
                .reported(2, RestartInstruction.FREEZE, State.FROZEN);
    assertThat(decide(scene.snapshot(), NOW)).isInstanceOf(Decision.Act.class);
    EffectFailure failure = failure(kind, status, NOW.minusSeconds(seconds), times);

    Decision decision = decide(with(scene.snapshot(), failure), NOW);

    if (rebuilt) {
      assertThat(Decisions.way(decision)).isEqualTo(RestartWay.REBUILD);
      assertThat(Decisions.detail(decision)).contains(failure.text());
    } else {
      assertThat(decision).isInstanceOf(Decision.Wait.class);
    }
  }

  @Test
  void shouldThawWhatIsFrozenWhileTheSuspensionIsRefused() {
    RecoverySnapshot frozen = new InPlaceScene().ordered(RestartInstruction.FREEZE).snapshot();
    RecoverySnapshot rebuild =
        frozen.with(
            RecoveryStatusBuilder.withRestart(
                Transitions.status(frozen), RestartWay.REBUILD, "refused"));
    EffectFailure failure = failure(CallKind.SUSPEND, 403, NOW, 3);

    Decision held = decide(with(rebuild, failure), NOW);

    RecoveryStatus status = ((Decision.Move) held).next();
    assertThat(status.phase()).isEqualTo(RecoveryPhase.HELD);
    OrderView order = Objects.requireNonNull(rebuild.order());
    assertThat(decide(with(rebuild.with(status), failure), NOW))
        .isEqualTo(new Decision.Act(List.of(new Effect.Withdraw(order.name())), Transitions.LATER));
  }

  /** The pods end by themselves meanwhile, so nothing is left to request. */
  @ParameterizedTest
  @EnumSource(names = {"REFUSED", "UNAVAILABLE"})
  void shouldEndTheHoldWhenWhatWasRefusedIsDone(HoldReason reason) {
    RecoverySnapshot s = new InPlaceScene().snapshot();
    RecoverySnapshot draining =
        s.with(RecoveryStatusBuilder.withRestart(Transitions.status(s), RestartWay.REBUILD, ""))
            .withPods(
                s.pods().stream()
                    .map(p -> p.withDeletionGraceSeconds(30L).withDeletionDeadline(NOW))
                    .toList())
            .withJob(
                Objects.requireNonNull(s.job())
                    .with(
                        b ->
                            b.checkpointDir("")
                                .suspended(true)
                                .suspendedBy(InPlaceScene.ME)
                                .suspensionSeen(true)));
    RecoveryStatus held =
        ((Decision.Move) Transitions.hold(draining, reason, "delete pod demo-worker-0", NOW))
            .next();

    Decision decision = decide(draining.with(held), NOW.plusSeconds(1));

    RecoveryStatus next = ((Decision.Move) decision).next();
    assertThat(next.phase()).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(next.timeline().getLast().detail()).isEqualTo("the API server accepts it now");
    assertThat(
            decide(
                with(draining.with(held), failure(CallKind.DELETE_POD, 403, NOW, 3)),
                NOW.plusSeconds(1)))
        .as("it is refused still")
        .isInstanceOf(Decision.Wait.class);
  }

  /** Seed 8422: kubelets have restarted it, and steps are made again since. */
  @Test
  void shouldNotStopAGangThatHasComeBackWhileItsSuspensionFailed() {
    RecoveryStatus draining =
        RecoverySnapshots.status(RecoveryPhase.DRAINING, null, 1, "PodFailed")
            .withPhaseSince(NOW.minusSeconds(100));
    EffectFailure failure = failure(CallKind.SUSPEND, 503, NOW.minusSeconds(90), 9);

    Decision decision = decide(with(trains(draining, 5), failure), NOW);

    assertThat(Decisions.entered(decision)).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(Decisions.detail(decision)).contains("the gang came back and trains");
    assertThat(decide(with(trains(draining, 101), failure), NOW))
        .as("its last step is of before")
        .isNotInstanceOf(Decision.Move.class);
    assertThat(decide(with(trains(draining, 5), null), NOW))
        .as("nothing has failed")
        .isInstanceOf(Decision.Act.class);
  }

  private static RecoverySnapshot trains(RecoveryStatus status, long steppedAgo) {
    List<PodView> gang = Given.gang("");
    return RecoverySnapshots.snapshot(
        Given.job(), status, gang, Given.ranks(gang, 50L, NOW.minusSeconds(steppedAgo), NOW), 0);
  }

  /** The webhook is mended, and now a quota is in the way. */
  @Test
  void shouldSayWhatIsRefusedNow() {
    RecoverySnapshot s = new InPlaceScene().snapshot();
    RecoverySnapshot rebuild =
        s.with(RecoveryStatusBuilder.withRestart(Transitions.status(s), RestartWay.REBUILD, ""));
    RecoveryStatus held =
        ((Decision.Move) Transitions.hold(rebuild, HoldReason.REFUSED, "a webhook says no", NOW))
            .next();
    RecoverySnapshot refused = with(rebuild.with(held), failure(CallKind.SUSPEND, 403, NOW, 3));

    assertThat(decide(refused, NOW.plusSeconds(59))).isNotInstanceOf(Decision.Move.class);
    Decision renewed = decide(refused, NOW.plusSeconds(61));

    assertThat(Decisions.entered(renewed)).isEqualTo(RecoveryPhase.HELD);
    assertThat(Decisions.detail(renewed)).isEqualTo("Refused: suspend the job: 403: denied");
    assertThat(decide(refused.with(((Decision.Move) renewed).next()), NOW.plusSeconds(61)))
        .as("it is requested still")
        .isInstanceOf(Decision.Act.class);
  }

  @Test
  void shouldProbeWithOneOfMany() {
    RecoverySnapshot s = new InPlaceScene().snapshot();
    RecoverySnapshot suspended =
        s.with(RecoveryStatusBuilder.withRestart(Transitions.status(s), RestartWay.REBUILD, ""))
            .withJob(
                Objects.requireNonNull(s.job())
                    .with(
                        b -> b.suspended(true).suspendedBy(InPlaceScene.ME).suspensionSeen(true)));
    assertThat(((Decision.Act) decide(suspended, NOW)).effects()).hasSize(3);

    EffectFailure failure = failure(CallKind.DELETE_POD, 403, NOW, 1);

    assertThat(decide(with(suspended, failure), NOW)).isInstanceOf(Decision.Wait.class);
    assertThat(((Decision.Act) decide(with(suspended, failure), NOW.plusSeconds(1))).effects())
        .hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"403, 2, false", "403, 3, true", "409, 9, false", "500, 9, false", "0, 9, false"})
  void shouldTakeAShortTroubleForNoReason(int status, int times, boolean lasts) {
    assertThat(failure(CallKind.SUSPEND, status, NOW.minusSeconds(59), times).lasts())
        .isEqualTo(lasts);
  }

  @ParameterizedTest
  @CsvSource({"409, 59, false", "409, 60, true", "500, 179, false", "500, 180, true"})
  void shouldTakeALongTroubleForAReason(int status, int seconds, boolean lasts) {
    assertThat(failure(CallKind.SUSPEND, status, NOW.minusSeconds(seconds), 5).lasts())
        .isEqualTo(lasts);
  }

  @Test
  void shouldNotWaitForAClockThatWasSetBack() {
    assertThat(failure(CallKind.SUSPEND, 403, NOW, 20).due(NOW.minusSeconds(3_600))).isTrue();
  }

  @Test
  void shouldForgetWhatIsNoLongerRequested() {
    EffectFailure failure = failure(CallKind.REVIVE, 403, NOW, 20);
    assertThat(failure.stands(NOW.plusSeconds(120))).isTrue();
    assertThat(failure.stands(NOW.plusSeconds(181))).isFalse();
    assertThat(
            EffectFailure.of(
                    CallKind.REVIVE,
                    "the job",
                    new RefusedException(403, "denied"),
                    failure,
                    NOW.plusSeconds(181))
                .times())
        .isOne();
  }

  /** Else a refusal would count for no time until the clock is past where it was. */
  @Test
  void shouldCountAgainWhereTheClockWasSetBack() {
    EffectFailure ahead = unanswered(null, NOW.plus(Duration.ofHours(1)));
    EffectFailure back = unanswered(ahead, NOW);
    assertThat(back.times()).isEqualTo(2);
    assertThat(back.lasts()).isFalse();

    EffectFailure later = back;
    for (int i = 1; i <= 3; i++) {
      later = unanswered(later, NOW.plusSeconds(60L * i));
    }
    assertThat(later.lasts()).isTrue();
  }

  private static EffectFailure unanswered(@Nullable EffectFailure before, Instant now) {
    UnavailableException busy = new UnavailableException(429, "busy", Duration.ZERO);
    return EffectFailure.of(CallKind.SAVE, "the recovery", busy, before, now);
  }
}
