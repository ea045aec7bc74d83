package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.XID_79;
import static dev.rekindle.controller.recovery.RecoverySnapshots.snapshot;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.api.Transport;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What follows for a job that requires RDMA, once its gang trains again. */
class RequiredRdmaTest {
  private static final Transport IB =
      new Transport(1, 1, 0, List.of("IB"), List.of("mlx5_0"), 1, 2, 2, 0, "");
  private static final Transport TCP =
      new Transport(1, 0, 1, List.of("Socket"), List.of(), 0, 0, 0, 2, "");

  /** Its only window opens two hours from now. */
  private static final Policy SHUT = MaintenanceHoldTest.SHUT;

  /** A gang that trains, on node-0, node-1 and node-2; node-3 is free. */
  private record Scene(
      boolean required,
      RecoveryStatus status,
      List<PodView> pods,
      List<@Nullable Transport> transports,
      int restarts,
      Map<String, NodeView> nodes,
      boolean faulty) {
    static Scene of(@Nullable Transport... transports) {
      List<@Nullable Transport> all = new ArrayList<>();
      for (Transport one : transports) {
        all.add(one);
      }
      RecoveryStatus verifying = RecoverySnapshots.status(RecoveryPhase.VERIFYING, null, 1);
      return new Scene(true, verifying, gang(ME + "-1"), all, 1, Given.nodes(), false);
    }

    Scene attempt(int attempt) {
      return new Scene(
          required,
          RecoverySnapshots.status(RecoveryPhase.VERIFYING, null, attempt),
          gang(ME + "-" + attempt),
          transports,
          restarts,
          nodes,
          faulty);
    }

    Scene with(RecoveryStatus next) {
      return new Scene(required, next, pods, transports, restarts, nodes, faulty);
    }

    Scene pods(List<PodView> next) {
      return new Scene(required, status, next, transports, restarts, nodes, faulty);
    }

    Scene restarts(int next) {
      return new Scene(required, status, pods, transports, next, nodes, faulty);
    }

    Scene required(boolean next) {
      return new Scene(next, status, pods, transports, restarts, nodes, faulty);
    }

    Scene withFault() {
      return new Scene(required, status, pods, transports, restarts, nodes, true);
    }

    Scene without(String node) {
      Map<String, NodeView> left = new HashMap<>(nodes);
      left.remove(node);
      return new Scene(required, status, pods, transports, restarts, left, faulty);
    }

    RecoverySnapshot seen() {
      List<RankView> ranks = new ArrayList<>();
      for (RankView rank : Given.ranks(pods, 21L, NOW, NOW)) {
        ranks.add(rank.withTransport(transports.get(ranks.size() % transports.size())));
      }
      RecoverySnapshot s =
          snapshot(
              job(), status, pods, nodes, faulty ? List.of(XID_79) : List.of(), ranks, restarts);
      return s.withJob(Objects.requireNonNull(s.job()).withRequiresRdma(required));
    }

    Decision decide(Instant now) {
      return decide(Policy.DEFAULT, now);
    }

    Decision decide(Policy policy, Instant now) {
      return RecoveryMachine.decide(seen(), policy, now);
    }

    Decision decide() {
      return decide(NOW);
    }

    Scene next() {
      return with(((Decision.Move) decide()).next());
    }
  }

  private static Optional<Condition> network(Decision decision) {
    return RecoveryStatusBuilder.network(((Decision.Move) decision).next());
  }

  private static List<Reason> reasons(Decision decision) {
    return ((Decision.Move) decision).notes().stream().map(Decision.Note::reason).toList();
  }

  private static void isHeld(Decision decision, String... words) {
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.HELD);
    assertThat(detail(decision)).startsWith("RdmaNotRestored: ").contains(words);
    assertThat(detail(decision)).endsWith("the gang trains on meanwhile");
    assertThat(HoldReason.of(((Decision.Move) decision).next()))
        .contains(HoldReason.RDMA_NOT_RESTORED);
  }

  @Test
  void shouldRecoverAGangThatIsOnRdma() {
    assertThat(entered(Scene.of(IB, IB, IB).decide())).isEqualTo(RecoveryPhase.RECOVERED);
  }

  @Test
  void shouldRecoverAGangOnTcpWhereItIsNotRequiredAndSaySo() {
    Scene scene = Scene.of(TCP, IB, IB).required(false);
    assertThat(entered(scene.decide())).isEqualTo(RecoveryPhase.RECOVERED);
  }

  @Test
  void shouldTryAgainOffTheNodeThatWasWithoutRdma() {
    Scene scene = Scene.of(TCP, IB, IB);
    Decision decision = scene.decide();

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(reasons(decision)).containsExactly(Reason.RDMA_NOT_RESTORED, Reason.ATTEMPT_FAILED);
    RecoveryStatus next = ((Decision.Move) decision).next();
    assertThat(next.attempt()).isEqualTo(2);
    ResumeAttempt attempt = next.resumes().getLast();
    assertThat(attempt.withoutRdma()).containsExactly("node-0");
    assertThat(attempt.node()).isEqualTo("node-0");
    assertThat(network(decision))
        .hasValueSatisfying(c -> assertThat(c.getReason()).isEqualTo("NcclSocketFallback"));
    assertThat(Avoidance.of(scene.with(next).seen())).contains("node-0");
  }

  /** The port may be dead still, and the job's next recovery would land on it again. */
  @Test
  void shouldAvoidTheNodeInTheNextRecoveryOfTheDay() {
    Decision failed = Scene.of(TCP, IB, IB).decide();
    RecoveryStatus past = ((Decision.Move) failed).next();
    RecoverySnapshot next = Scene.of(IB, IB, IB).seen().withHistory(List.of(past));

    assertThat(Avoidance.of(next)).containsExactly("node-0");
    assertThat(Avoidance.current(next)).as("it may be mended").isEmpty();
    RecoverySnapshot later =
        next.with(
            Transitions.status(next).withPhaseSince(NOW.plus(Duration.ofDays(1)).plusSeconds(1)));
    assertThat(Avoidance.of(later)).isEmpty();
    RecoverySnapshot content =
        next.withJob(Objects.requireNonNull(next.job()).withRequiresRdma(false));
    assertThat(Avoidance.of(content)).isEmpty();
  }

  @Test
  void shouldHoldWhereTheAttemptsAreSpent() {
    isHeld(
        Scene.of(IB, TCP, IB).attempt(Policy.DEFAULT.maxAttempts()).decide(),
        "rank worker/0 (pod demo-worker-0 on node node-1)",
        "last that the policy allows");
  }

  @Test
  void shouldHoldWhereTheBudgetIsSpent() {
    isHeld(Scene.of(IB, TCP, IB).restarts(Policy.DEFAULT.maxRestarts()).decide(), "budget");
  }

  @Test
  void shouldHoldWhereNoOtherNodeIsFree() {
    isHeld(Scene.of(IB, TCP, IB).without("node-3").decide(), "no other place: ");
  }

  /** A gang that trains is not stopped then, for its network or for a fault that it survives. */
  @Test
  void shouldHoldWhereAGangThatTrainsMayNotBeStopped() {
    Scene scene = Scene.of(IB, TCP, IB);
    isHeld(scene.decide(SHUT, NOW), "the next maintenance window opens at ");
    isHeld(scene.decide(Policy.DEFAULT.withPaused(true), NOW), "is paused");
    assertThat(detail(scene.withFault().decide(SHUT, NOW)))
        .startsWith("RdmaNotRestored: XID-79 ")
        .contains("the next maintenance window opens at ");
  }

  @Test
  void shouldTryAgainOnceAMaintenanceWindowIsOpen() {
    Scene held = Scene.of(IB, TCP, IB);
    held = held.with(((Decision.Move) held.decide(SHUT, NOW)).next());

    assertThat(held.decide(SHUT, NOW)).isInstanceOf(Decision.Wait.class);
    assertThat(entered(held.decide(Policy.DEFAULT, NOW))).isEqualTo(RecoveryPhase.DRAINING);
  }

  /** No step of it was seen for an hour, and only a pause keeps it then. */
  @Test
  void shouldNotWaitForAWindowWhereNoStepIsSeen() {
    Scene scene = Scene.of(IB, TCP, IB);
    Scene held = scene.with(((Decision.Move) scene.decide(SHUT, NOW)).next());
    Instant later = NOW.plus(Duration.ofHours(1));

    assertThat(entered(held.decide(SHUT, later))).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(detail(held.decide(SHUT.withPaused(true), later))).contains("is paused");
  }

  @Test
  void shouldNotGoBackToANodeOfAnEarlierAttempt() {
    Scene second = Scene.of(IB, TCP, IB).attempt(2);
    ResumeAttempt first =
        new ResumeAttempt(
            1, null, 1L, 21L, ResumeResult.INTERRUPTED, "", "node-3", List.of("node-3"));
    isHeld(second.with(second.status().withResumes(List.of(first))).decide(), "no other place: ");
  }

  @Test
  void shouldHoldAtOnceWhereEachNodeShowsIt() {
    isHeld(Scene.of(TCP, TCP, TCP).decide(), "3 of 3 nodes");
  }

  @Test
  void shouldOnlyWaitWhileItIsHeld() {
    Scene held = Scene.of(TCP, TCP, TCP).next();
    assertThat(held.decide()).isInstanceOf(Decision.Wait.class);
    assertThat(held.decide(NOW.plusSeconds(86_400))).isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldWaitForLinesForABoundedTimeAndThenHold() {
    Scene scene = Scene.of(IB, null, IB);
    Decision first = scene.decide();
    assertThat(entered(first)).isEqualTo(RecoveryPhase.VERIFYING);
    assertThat(network(first))
        .hasValueSatisfying(c -> assertThat(c.getStatus()).isEqualTo("Unknown"));

    Scene waits = scene.next();
    Instant end = NOW.plus(RequiredRdma.LINES);
    assertThat(waits.decide()).isInstanceOf(Decision.Wait.class);
    assertThat(waits.decide(end.minusMillis(1))).isInstanceOf(Decision.Wait.class);
    isHeld(waits.decide(end), "no line of NCCL", "demo-worker-0");
  }

  /** Its kubelets have started a container again, which prints its lines anew. */
  @Test
  void shouldWaitForTheLinesOfContainersThatStartAgain() {
    Scene waits = Scene.of(IB, null, IB).next();
    Instant late = NOW.plus(RequiredRdma.LINES).plusSeconds(1);
    List<PodView> pods = new ArrayList<>(waits.pods());
    pods.set(1, pods.get(1).withReady(false));

    Decision broken = waits.pods(pods).decide(NOW.plusSeconds(30));

    assertThat(network(broken)).as("nothing is known of it").isEmpty();
    RecoveryStatus next = ((Decision.Move) broken).next();
    assertThat(next.phaseSince()).isEqualTo(waits.status().phaseSince());
    Decision again = waits.with(next).decide(late);
    assertThat(entered(again)).isEqualTo(RecoveryPhase.VERIFYING);
    assertThat(waits.with(((Decision.Move) again).next()).decide(late.plusSeconds(60)))
        .isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldNotBurnAnAttemptForWhatIsNotKnown() {
    Scene waits = Scene.of(IB, null, IB).next();
    Decision held = waits.decide(NOW.plus(RequiredRdma.LINES));
    assertThat(((Decision.Move) held).next().attempt()).isEqualTo(1);
    assertThat(((Decision.Move) held).next().resumes()).isEmpty();
  }

  @Test
  void shouldContinueOnceTheHeldGangIsOnRdma() {
    RecoveryStatus held = Scene.of(TCP, TCP, TCP).next().status();
    Scene mended = Scene.of(IB, IB, IB).with(held);
    assertThat(entered(mended.decide())).isEqualTo(RecoveryPhase.VERIFYING);
    Decision over = mended.next().decide();
    assertThat(entered(over)).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(network(over)).hasValueSatisfying(c -> assertThat(c.getStatus()).isEqualTo("True"));
  }

  @Test
  void shouldEndTruthfullyOnceTheJobRequiresItNoMore() {
    RecoveryStatus held = Scene.of(TCP, TCP, TCP).next().status();
    Scene loosened = Scene.of(TCP, TCP, TCP).with(held).required(false);
    assertThat(entered(loosened.decide())).isEqualTo(RecoveryPhase.VERIFYING);
    assertThat(entered(loosened.next().decide())).isEqualTo(RecoveryPhase.RECOVERED);
  }

  @Test
  void shouldAnswerAFaultThatBefallsTheHeldGang() {
    Scene held = Scene.of(TCP, TCP, TCP).next().withFault();
    Decision decision = held.decide();
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(network(decision)).isEmpty();
  }

  @Test
  void shouldForgetTheNetworkOfAHeldGangThatIsNotWholeAnyMore() {
    Scene held = Scene.of(TCP, TCP, TCP).next();
    List<PodView> pods = new ArrayList<>(held.pods());
    pods.set(1, pods.get(1).withReady(false));
    Decision decision = held.pods(pods).decide();
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.VERIFYING);
    assertThat(network(decision)).isEmpty();
  }

  /**
   * Whatever is seen, in whatever order: never Recovered without RDMA, and never without an end.
   */
  @Test
  void shouldNeverRecoverOnTcpNorRestartWithoutEnd() {
    Random random = new Random(106);
    for (int tries = 0; tries < 500; tries++) {
      RecoveryStatus status = status(RecoveryPhase.VERIFYING, null, 1);
      Instant now = NOW;
      int drained = 0;
      for (int step = 0; step < 40; step++) {
        @Nullable Transport[] seen = new Transport[3];
        boolean good = true;
        for (int i = 0; i < seen.length; i++) {
          int drawn = random.nextInt(6);
          seen[i] = drawn == 0 ? TCP : drawn == 1 ? null : IB;
          good &= drawn > 1;
        }
        Scene scene = Scene.of(seen).with(status).pods(gang(ME + "-" + status.attempt()));
        now = now.plusSeconds(random.nextInt(200));
        if (scene.decide(now) instanceof Decision.Move move) {
          RecoveryPhase phase = Objects.requireNonNull(move.next().phase());
          if (phase.isTerminal()) {
            assertThat(phase == RecoveryPhase.RECOVERED).isEqualTo(good);
            break;
          }
          drained += phase == RecoveryPhase.DRAINING ? 1 : 0;
          // Where it was drained, it comes back as the next attempt.
          status =
              phase == RecoveryPhase.DRAINING
                  ? RecoveryStatusBuilder.enter(
                      move.next(), RecoveryPhase.VERIFYING, "resumed", now)
                  : move.next();
        }
      }
      assertThat(drained).isLessThan(Policy.DEFAULT.maxAttempts());
    }
  }
}
