package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.simulator.process.BrokenControllers;
import dev.rekindle.simulator.process.MisledControllers;
import dev.rekindle.simulator.process.Reconcilers;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A check that has never been seen to bite proves nothing. */
class BrokenControllersTest {
  private static final int SEEDS = 1_000;

  /** From here on 3 of 1,000 seeds release a lemon; before it, hardly one. */
  private static final long RARE = 2_000;

  static Stream<Arguments> broken() {
    return Stream.of(
        of(Invariant.ONE_GENERATION, BrokenControllers::withoutDrain),
        of(Invariant.NEVER_LEFT_SUSPENDED, BrokenControllers::givingUpWhileSuspended),
        of(Invariant.ONLY_OPTED_IN, BrokenControllers::deafToOptIn),
        of(Invariant.BREAKER, BrokenControllers::withoutBreaker),
        of(Invariant.BREAKER, BrokenControllers::countingFencesInItsCache),
        of(Invariant.BREAKER, BrokenControllers::blindToPools),
        of(Invariant.HARDWARE_WITNESS, BrokenControllers::fencingOnAnyFault),
        of(Invariant.HARDWARE_WITNESS, BrokenControllers::blamingTheHardwareForPrograms),
        of(Invariant.ONLY_OPTED_IN, BrokenControllers::fencingForEverybody),
        of(Invariant.PROVEN_GONE, BrokenControllers::forgettingOldFaults),
        of(Invariant.PROVEN_GONE, BrokenControllers::believingEveryReboot),
        of(Invariant.PROVEN_GONE, BrokenControllers::takingEveryNodeForReady),
        of(Invariant.ONLY_OUR_FENCES, BrokenControllers::releasingEverything),
        of(Invariant.BUDGET, BrokenControllers::withoutBudget),
        of(Invariant.BUDGET, BrokenControllers::forgettingItsBudget),
        of(Invariant.VALID_CHECKPOINT, BrokenControllers::trustingEveryCheckpoint),
        of(Invariant.VALID_CHECKPOINT, BrokenControllers::passingOverTheNewestCheckpoint),
        of(Invariant.NO_REPLAY, BrokenControllers::takingUpWhatIsOver),
        of(Invariant.ENDS, BrokenControllers::neverEnding),
        of(Invariant.BARRIER, BrokenControllers::withoutFreeze),
        of(Invariant.BARRIER, BrokenControllers::restartingTheLeaderWithTheOthers),
        of(Invariant.BARRIER, BrokenControllers::pinningBeforeTheFreeze),
        of(Invariant.BARRIER, BrokenControllers::deletingBeforeTheFreeze),
        of(Invariant.BARRIER, BrokenControllers::believingEveryAgent),
        of(Invariant.ONLY_OPTED_IN, BrokenControllers::takingAnyPolicyForTheDefault),
        of(Invariant.NEVER_LEFT_FROZEN, BrokenControllers::forgettingToWithdraw),
        of(Invariant.MODES, BrokenControllers::deafToModes),
        of(Invariant.MODES, BrokenControllers::approvingByItself),
        from(RARE, Invariant.LEMONS, BrokenControllers::forgivingLemons),
        of(Invariant.SCORECARD, BrokenControllers::forgettingItsScores),
        of(Invariant.SUSPENDED_FIRST, BrokenControllers::deletingWithoutSuspending),
        of(Invariant.OWN_ONLY, BrokenControllers::suspendingTheNeighbour),
        of(Invariant.FEW_CALLS, BrokenControllers::neverResting),
        of(Invariant.SMALL_OBJECTS, BrokenControllers::neverTidying),
        of(Invariant.TRUE_HOLDS, BrokenControllers::blindToRoom),
        of(Invariant.MUST_FENCE, BrokenControllers::fencingNobody),
        of(Invariant.TRUE_RECOVERY, BrokenControllers::believingOldContainers),
        of(Invariant.SUSPENDED_FIRST, BrokenControllers::takingSuspensionsForSeen),
        of(Invariant.BARRIER, BrokenControllers::hurryingItsAgents),
        of(Invariant.TRUE_RECOVERY, BrokenControllers::takingEveryPodForReady),
        of(Invariant.TRUE_VERDICTS, BrokenControllers::takingReportsForSteps),
        of(Invariant.WITHIN_BACKOFF, BrokenControllers::deafToBackoffLimits),
        of(Invariant.TRUE_CANCELS, BrokenControllers::blindToItsFirstLook),
        of(Invariant.HARDWARE_WITNESS, BrokenControllers::takingFormerNodesForPresentOnes),
        of(Invariant.ONLY_OPTED_IN, MisledControllers::actingOnForeignMarks),
        of(Invariant.TRUE_HOLDS, MisledControllers::schedulingByTheWallClock),
        of(Invariant.TRUE_FAULTS, BrokenControllers::quotingAKernelThatSaidNothing));
  }

  private static Arguments of(Invariant invariant, Supplier<Reconcilers.Factory> controller) {
    return from(0, invariant, controller);
  }

  /** One that few seeds catch, from one on where some do. */
  private static Arguments from(
      long seed, Invariant invariant, Supplier<Reconcilers.Factory> controller) {
    return argumentSet(invariant.number() + " " + invariant, invariant, controller, seed);
  }

  @ParameterizedTest
  @MethodSource("broken")
  void shouldCatchIt(Invariant invariant, Supplier<Reconcilers.Factory> controller, long from) {
    Optional<Violation> caught =
        LongStream.range(from, from + SEEDS)
            .mapToObj(seed -> SeedRun.run(seed, controller.get(), null).violation())
            .flatMap(Optional::stream)
            .filter(violation -> violation.invariant() == invariant)
            .findFirst();

    assertThat(caught).isPresent();
  }

  @Test
  void shouldHaveABrokenControllerForEveryInvariant() {
    Set<Object> covered = broken().map(a -> a.get()[0]).collect(Collectors.toSet());

    assertThat(covered).containsAll(EnumSet.allOf(Invariant.class));
  }
}
