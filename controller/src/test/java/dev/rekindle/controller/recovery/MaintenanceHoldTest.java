package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.policy.MaintenanceWindows;
import dev.rekindle.detect.policy.MaintenanceWindows.Window;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What waits while a policy is paused, and outside its maintenance windows. */
class MaintenanceHoldTest {
  private static final Policy PAUSED = Policy.DEFAULT.withPaused(true);

  /** The next one opens two hours from now. */
  static final Policy SHUT = windows(NOW.plus(Duration.ofHours(2)), false);

  private static Policy windows(Instant from, boolean stoppedWait) {
    LocalTime start = from.atZone(ZoneOffset.UTC).toLocalTime().truncatedTo(ChronoUnit.MINUTES);
    Window window =
        new Window(ZoneOffset.UTC, Set.of(DayOfWeek.values()), start, Duration.ofMinutes(60));
    return Policy.DEFAULT.withMaintenance(new MaintenanceWindows(List.of(window), stoppedWait));
  }

  private static InPlaceScene begun(RecoveryPhase phase) {
    return new InPlaceScene().notChosen().planned(null).phase(phase, NOW);
  }

  private static Decision decide(InPlaceScene scene, Policy policy) {
    return RecoveryMachine.decide(scene.snapshot(), policy, NOW);
  }

  private static RecoverySnapshot because(String reason, RecoverySnapshot s) {
    RecoveryStatus status = Objects.requireNonNull(s.recovery().status());
    return s.with(status.withCause(Transitions.cause(status).withReason(reason)));
  }

  @ParameterizedTest
  @EnumSource(
      value = RecoveryPhase.class,
      names = {"DETECTED", "FENCING", "DRAINING"})
  void shouldHoldWhatHasTouchedNothing(RecoveryPhase phase) {
    Decision paused = decide(begun(phase), PAUSED);
    Decision outside = decide(begun(phase), SHUT);

    assertThat(entered(paused)).isEqualTo(RecoveryPhase.HELD);
    assertThat(detail(paused)).startsWith("Paused: its RecoveryPolicy");
    assertThat(entered(outside)).isEqualTo(RecoveryPhase.HELD);
    assertThat(detail(outside))
        .startsWith("OutsideWindow: the next maintenance window opens at ")
        .contains(NOW.plus(Duration.ofHours(2)).truncatedTo(ChronoUnit.MINUTES).toString());
  }

  @Test
  void shouldWaitOnceItIsHeldAndThenContinueByItself() {
    RecoverySnapshot s = begun(RecoveryPhase.DRAINING).snapshot();
    RecoverySnapshot held = s.with(((Decision.Move) RecoveryMachine.decide(s, SHUT, NOW)).next());

    assertThat(RecoveryMachine.decide(held, SHUT, NOW)).isInstanceOf(Decision.Wait.class);
    Decision open = RecoveryMachine.decide(held, windows(NOW, false), NOW);
    assertThat(entered(open)).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(detail(open)).isEqualTo("a maintenance window is open, or the gang trains no more");
    RecoverySnapshot goes = held.with(((Decision.Move) open).next());
    assertThat(RecoveryMachine.decide(goes, Policy.DEFAULT, NOW))
        .as("as if it had never been held")
        .extracting(Decisions::way)
        .isEqualTo(Decisions.way(RecoveryMachine.decide(s, Policy.DEFAULT, NOW)));
  }

  /**
   * Its mode had changed in mid-recovery; what it is held for is over before anything is called.
   */
  @ParameterizedTest
  @EnumSource(
      value = RecoveryPhase.class,
      names = {"FENCING", "DRAINING"})
  void shouldLeaveTheHoldForAPersonOnceOneHasApproved(RecoveryPhase phase) {
    RecoverySnapshot s = begun(phase).snapshot();
    Decision hold = Transitions.hold(s, HoldReason.AWAITING_APPROVAL, "", NOW);

    Decision next =
        RecoveryMachine.decide(s.with(((Decision.Move) hold).next()), Policy.DEFAULT, NOW);

    assertThat(entered(next)).isEqualTo(phase);
    assertThat(detail(next)).isEqualTo("approved, or no approval is required any more");
  }

  @ParameterizedTest
  @CsvSource({
    "steps stand, false, DRAINING",
    "steps stand, true, HELD",
    "a pod is not ready, false, DRAINING",
    "a pod is not ready, true, HELD",
    "stalled, false, DRAINING",
    "stalled, true, HELD",
    "loss is NaN, false, DRAINING",
    "asked by its script, false, DRAINING",
    "trains, false, HELD",
    "trains, true, HELD"
  })
  void shouldNotLetAJobWaitThatStandsStill(String how, boolean stoppedWait, RecoveryPhase next) {
    InPlaceScene scene = begun(RecoveryPhase.DETECTED).faulty();
    String reason = "XID-79";
    switch (how) {
      case "steps stand" -> scene.stepped(NOW.minusSeconds(3_600));
      case "a pod is not ready" -> {
        List<PodView> pods = new ArrayList<>(gang(""));
        pods.set(2, pods.get(2).withReady(false));
        scene.pods(pods);
      }
      case "stalled" -> reason = Cause.STALLED;
      case "loss is NaN" -> reason = Cause.LOSS_NOT_FINITE;
      case "asked by its script" -> reason = "RestartAsked";
      default -> {}
    }

    Policy policy = windows(NOW.plus(Duration.ofHours(2)), stoppedWait);
    Decision decision = RecoveryMachine.decide(because(reason, scene.snapshot()), policy, NOW);

    assertThat(entered(decision)).isEqualTo(next);
  }

  /** What was stopped is brought back, whatever the time is. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void shouldContinueWithAJobThatWasStopped(boolean frozen) {
    InPlaceScene scene =
        frozen
            ? new InPlaceScene().ordered(RestartInstruction.FREEZE)
            : begun(RecoveryPhase.DRAINING).job(job().suspended(ME, true));
    for (Policy policy : List.of(PAUSED, SHUT, windows(NOW.plusSeconds(7_200), true))) {
      assertThat(decide(scene, policy)).isEqualTo(decide(scene, Policy.DEFAULT));
    }
  }

  @Test
  void shouldBringBackAnOrphanWhilePaused() {
    RecoverySnapshot orphan =
        because(
            Cause.ORPHANED,
            begun(RecoveryPhase.DETECTED).job(job().suspended("demo-r1", true)).snapshot());

    assertThat(RecoveryMachine.decide(orphan, PAUSED, NOW))
        .isEqualTo(RecoveryMachine.decide(orphan, Policy.DEFAULT, NOW));
  }

  /** Whenever it is and whatever its clock was before: it acts in a window, and only there. */
  @Test
  void shouldDependOnNothingButTheTime() {
    SplittableRandom random = new SplittableRandom(34);
    for (int i = 0; i < 500; i++) {
      Instant opens = NOW.plusSeconds(random.nextLong(-86_400, 86_400));
      Policy policy = windows(opens, false);
      RecoverySnapshot s = begun(RecoveryPhase.DETECTED).snapshot();
      boolean open = policy.maintenance().isOpen(NOW);

      RecoveryPhase next = entered(RecoveryMachine.decide(s, policy, NOW));

      assertThat(next)
          .as("opens %s", opens)
          .isEqualTo(open ? RecoveryPhase.FENCING : RecoveryPhase.HELD);
      // A clock that was wrong has held it for a window that is open: it is not held for long.
      RecoverySnapshot held =
          s.with(
              RecoveryStatusBuilder.hold(
                  Objects.requireNonNull(s.recovery().status()),
                  HoldReason.OUTSIDE_WINDOW,
                  "wrong",
                  NOW.plusSeconds(9)));
      Decision again = RecoveryMachine.decide(held, policy, NOW);
      assertThat(again).isInstanceOf(open ? Decision.Move.class : Decision.Wait.class);
    }
  }
}
