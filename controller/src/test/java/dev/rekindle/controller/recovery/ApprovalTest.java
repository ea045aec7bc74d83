package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.detect.policy.MaintenanceWindows;
import dev.rekindle.detect.policy.MaintenanceWindows.Window;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Recoveries of jobs whose owner, or whose policy, wants a person to approve. */
class ApprovalTest {
  private static final FaultView XID_79 = fault("node-1", "XID-79", FenceGuidance.ALWAYS);
  private static final Policy APPROVES = Policy.DEFAULT.with(b -> b.mode(Mode.APPROVE));

  private static RecoveryStatus held(HoldReason reason, RecoveryPhase from) {
    Cause cause = new Cause("XID-79", "", List.of(), List.of("node-1"), List.of(), List.of(), 42L);
    RecoveryStatus status = RecoveryStatusBuilder.begin(cause, List.of(), T0);
    RecoveryStatus phase = RecoveryStatusBuilder.enter(status, from, "", T0);
    return RecoveryStatusBuilder.hold(phase, reason, "it is held", T0);
  }

  /** Node-1 is not fenced yet. */
  private static RecoverySnapshot snapshot(Given.Job job, RecoveryStatus status) {
    RecoverySnapshot s = new InPlaceScene().notChosen().faulty(XID_79).snapshot();
    return s.with(
        b ->
            b.recovery(Given.recovery(ME, T0, status))
                .job(job.view())
                .nodes(new HashMap<>(Given.nodes()))
                .order(null));
  }

  private static RecoverySnapshot approve(RecoverySnapshot s) {
    return approve(s, true, 0);
  }

  private static RecoverySnapshot approve(RecoverySnapshot s, boolean approved, long generation) {
    RecoveryView r = s.recovery();
    RecoverySpec spec = new RecoverySpec(r.spec().jobRef(), r.spec().detectedAt(), approved);
    return s.withRecovery(
        new RecoveryView(
            r.namespace(), r.name(), r.uid(), r.resourceVersion(), spec, r.status(), generation));
  }

  /** The same, once the decision is stored. */
  private static RecoverySnapshot stored(RecoverySnapshot s, Decision decision) {
    return decision instanceof Decision.Move(RecoveryStatus next, _) ? s.with(next) : s;
  }

  private static Optional<Condition> noted(RecoverySnapshot s) {
    return Objects.requireNonNull(s.recovery().status()).conditions().stream()
        .filter(c -> c.getType().equals("Approved"))
        .findFirst();
  }

  private static @Nullable RecoveryPhase entered(Decision decision) {
    assertThat(decision).isInstanceOf(Decision.Move.class);
    return ((Decision.Move) decision).next().phase();
  }

  static Stream<Arguments> approved() {
    List<PodView> gang = gang("");
    List<RankView> trains = Given.ranks(gang, 50L, NOW, NOW);
    List<RankView> stood = Given.ranks(gang, 42L, T0.minusSeconds(1), NOW);
    return Stream.of(
        argumentSet("trains, the fault is gone", gang, trains, List.of(), RecoveryPhase.CANCELLED),
        argumentSet(
            "trains, the fault stands", gang, trains, List.of(XID_79), RecoveryPhase.FENCING),
        argumentSet("no step since it is held", gang, stood, List.of(), RecoveryPhase.FENCING),
        argumentSet("no step ever seen", gang, List.of(), List.of(), RecoveryPhase.FENCING),
        argumentSet(
            "a pod is missing", gang.subList(0, 2), trains, List.of(), RecoveryPhase.FENCING));
  }

  @ParameterizedTest
  @MethodSource("approved")
  void shouldNotRestartWhatCameBackBeforeItWasApproved(
      List<PodView> pods, List<RankView> ranks, List<FaultView> faults, RecoveryPhase next) {
    RecoverySnapshot waits =
        snapshot(
                job().optIn(new OptIn.Yes(Mode.APPROVE)),
                held(HoldReason.AWAITING_APPROVAL, RecoveryPhase.DETECTED))
            .with(b -> b.pods(pods).ranks(ranks).faults(faults));

    assertThat(RecoveryMachine.decide(waits, Policy.DEFAULT, NOW))
        .isInstanceOf(Decision.Wait.class);
    assertThat(entered(RecoveryMachine.decide(approve(waits), Policy.DEFAULT, NOW)))
        .isEqualTo(next);
  }

  /**
   * The breaker or the API server held it, and by the time it may go on a person is to be asked.
   */
  @ParameterizedTest
  @CsvSource({
    "BREAKER_OPEN, FENCING, true",
    "REFUSED, FENCING, true",
    "REFUSED, DRAINING, true",
    "REFUSED, DRAINING, false"
  })
  void shouldAskWhereTheModeBecameApproveWhileItWasHeld(
      HoldReason reason, RecoveryPhase from, boolean byPolicy) {
    Given.Job asks = byPolicy ? job() : job().optIn(new OptIn.Yes(Mode.APPROVE));
    Policy policy = byPolicy ? APPROVES : Policy.DEFAULT;
    RecoverySnapshot snapshot = snapshot(asks, held(reason, from));

    Decision decision = RecoveryMachine.decide(snapshot, policy, NOW);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.HELD);
    assertThat(detail(decision)).contains("AwaitingApproval", "spec.approved");
    assertThat(((Decision.Move) decision).next().heldFrom()).isEqualTo(from);
    Decision note = RecoveryMachine.decide(approve(snapshot), policy, NOW);
    RecoverySnapshot approved = stored(approve(snapshot), note);
    assertThat(noted(approved)).as("when it was seen").isPresent();
    RecoverySnapshot unasked = snapshot(job(), held(reason, from));
    if (entered(note) == RecoveryPhase.HELD) {
      assertThat(RecoveryMachine.decide(approved, policy, NOW))
          .isEqualTo(RecoveryMachine.decide(unasked, Policy.DEFAULT, NOW))
          .isNotEqualTo(decision);
    } else {
      assertThat(entered(note))
          .isEqualTo(entered(RecoveryMachine.decide(unasked, Policy.DEFAULT, NOW)));
    }
  }

  /** Approved at NOW, while something else keeps it from going on. */
  private static RecoverySnapshot approvedAndKept(Policy policy) {
    RecoverySnapshot waits =
        approve(
            snapshot(
                job().optIn(new OptIn.Yes(Mode.APPROVE)),
                held(HoldReason.AWAITING_APPROVAL, RecoveryPhase.DETECTED)),
            true,
            2);
    return stored(waits, RecoveryMachine.decide(waits, policy, NOW));
  }

  private static Policy pausedFor(Duration approval) {
    return Policy.DEFAULT.with(b -> b.paused(true).approval(approval));
  }

  @ParameterizedTest
  @CsvSource({"0, Paused", "3599, Paused", "3600, ApprovalExpired", "360000, ApprovalExpired"})
  void shouldAskAgainWhereNothingCouldBeDoneInTime(long seconds, String reason) {
    Policy policy = pausedFor(Duration.ofHours(1));
    RecoverySnapshot kept = approvedAndKept(policy);
    Instant later = NOW.plusSeconds(seconds);

    RecoverySnapshot next = stored(kept, RecoveryMachine.decide(kept, policy, later));

    RecoveryStatus status = Objects.requireNonNull(next.recovery().status());
    assertThat(HoldReason.of(status).orElseThrow().word()).isEqualTo(reason);
    assertThat(noted(next).orElseThrow().getStatus())
        .isEqualTo(reason.equals("Paused") ? "True" : "False");
    if (reason.equals("ApprovalExpired")) {
      Policy free = pausedFor(Duration.ofHours(1)).withPaused(false);
      assertThat(RecoveryMachine.decide(next, free, later))
          .as("it stays expired")
          .isInstanceOf(Decision.Wait.class);
      assertThat(RecoveryMachine.decide(next, free, NOW))
          .as("also where the clock is set back")
          .isInstanceOf(Decision.Wait.class);
      assertThat(entered(RecoveryMachine.decide(approve(next, true, 4), free, later)))
          .as("taken back and given again")
          .isNotEqualTo(RecoveryPhase.HELD);
      RecoverySnapshot back = approve(next, false, 3);
      assertThat(noted(stored(back, RecoveryMachine.decide(back, free, later)))).isEmpty();
    }
  }

  /** It may have been given for it. */
  @Test
  void shouldKeepAnApprovalUntilTheNextWindowIsOver() {
    Instant from = NOW.truncatedTo(ChronoUnit.MINUTES).plus(Duration.ofDays(3));
    Window weekly =
        new Window(
            ZoneOffset.UTC,
            Set.of(from.atZone(ZoneOffset.UTC).getDayOfWeek()),
            from.atZone(ZoneOffset.UTC).toLocalTime(),
            Duration.ofHours(2));
    Policy policy =
        pausedFor(Duration.ofHours(1))
            .withMaintenance(new MaintenanceWindows(List.of(weekly), true));
    RecoverySnapshot kept = approvedAndKept(policy);
    Instant end = from.plus(Duration.ofHours(2));

    assertThat(RecoveryMachine.decide(kept, policy, end.minusSeconds(1)))
        .isInstanceOf(Decision.Wait.class);
    assertThat(detail(RecoveryMachine.decide(kept, policy, end))).contains("ApprovalExpired");
  }

  @Test
  void shouldNotTakeTheTimeOfAClockThatWasAheadForAnApprovalOfTheFuture() {
    Policy policy = pausedFor(Duration.ofHours(1));
    RecoverySnapshot ahead = approvedAndKept(policy);
    Instant back = NOW.minus(Duration.ofDays(365));

    RecoverySnapshot anew = stored(ahead, RecoveryMachine.decide(ahead, policy, back));

    assertThat(noted(anew).orElseThrow().getLastTransitionTime()).isEqualTo(back.toString());
    assertThat(detail(RecoveryMachine.decide(anew, policy, back.plus(Duration.ofHours(1)))))
        .contains("ApprovalExpired");
  }

  /** The policy was changed since: it expires by the new one. */
  @Test
  void shouldSayUntilWhenAnApprovalIsGoodNow() {
    RecoverySnapshot kept = approvedAndKept(pausedFor(Duration.ofHours(1)));
    Policy longer = pausedFor(Duration.ofHours(8));
    RecoverySnapshot paused =
        stored(kept, RecoveryMachine.decide(kept, pausedFor(Duration.ofHours(1)), NOW));

    RecoverySnapshot next =
        stored(paused, RecoveryMachine.decide(paused, longer, NOW.plusSeconds(60)));

    Condition before = noted(paused).orElseThrow();
    Condition after = noted(next).orElseThrow();
    assertThat(after.getMessage()).isEqualTo("good until " + NOW.plus(Duration.ofHours(8)));
    assertThat(after.getLastTransitionTime()).isEqualTo(before.getLastTransitionTime());
    assertThat(RecoveryMachine.decide(next, longer, NOW.plusSeconds(120)))
        .isInstanceOf(Decision.Wait.class);
  }

  @ParameterizedTest
  @CsvSource({"FENCING", "DRAINING"})
  void shouldBringBackUnaskedWhatIsSuspendedAlready(RecoveryPhase from) {
    RecoveryStatus status = held(HoldReason.REFUSED, from);
    RecoverySnapshot suspended = snapshot(job().suspended(ME, true), status);

    assertThat(RecoveryMachine.decide(suspended, APPROVES, NOW))
        .isEqualTo(RecoveryMachine.decide(suspended, Policy.DEFAULT, NOW));
  }
}
