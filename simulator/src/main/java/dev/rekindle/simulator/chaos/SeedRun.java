package dev.rekindle.simulator.chaos;

import static dev.rekindle.simulator.chaos.Invariant.LEADER_CHANGE;

import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.process.Reconcilers;
import dev.rekindle.simulator.setup.Setup;
import dev.rekindle.simulator.world.SimEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** One seed: a cluster, its faults, and whether all invariants held. */
public final class SeedRun {
  /** After so long in calm everything must have come to rest, on virtual time. */
  private static final Duration BOUND = Duration.ofMinutes(60);

  private static final Duration LOOK = Duration.ofSeconds(5);

  /** A job may be suspended without an open recovery for as long as it takes to notice. */
  private static final int LOOKS_LEFT_SUSPENDED = 12;

  /** Agents answer within seconds where nothing is broken any more. */
  private static final int LOOKS_LEFT_FROZEN = 12;

  private static final int LOOKS_AT_REST = 3;

  /** In one of so many seeds it is waited for holds that time or a person will end. */
  private static final int IMPATIENT = 4;

  private static final Duration PATIENCE = Duration.ofMinutes(12);

  private static final long QUIET = 0x5155494554L;

  /**
   * What came of a seed.
   *
   * @param seed the seed
   * @param violation what did not hold
   * @param failure a bug of the controller: an exception that no call explains
   * @param recoveries recoveries that ended
   * @param hits faults injected, by what they hit
   * @param dangers what agents, tenants and people did, and how often
   * @param stalls the outcomes of stalls whose ranks were inspected
   * @param writes what the controller did, as {@link WriteCounts} counts it
   * @param fingerprint the same for the same run
   */
  public record Outcome(
      long seed,
      Optional<Violation> violation,
      Optional<Throwable> failure,
      int recoveries,
      Map<FaultArea, Integer> hits,
      Map<Disturbance, Integer> dangers,
      Map<StallResult, Integer> stalls,
      Map<String, Long> writes,
      long fingerprint) {
    /** Faults of all kinds. */
    public int faults() {
      return Counts.total(hits) + Counts.total(dangers);
    }

    /** Whether everything held. */
    public boolean good() {
      return violation.isEmpty() && failure.isEmpty();
    }

    private Outcome withoutViolation() {
      return new Outcome(
          seed, Optional.empty(), failure, recoveries, hits, dangers, stalls, writes, fingerprint);
    }

    /** The same without what the controller did. */
    Outcome uncounted() {
      return new Outcome(
          seed, violation, failure, recoveries, hits, dangers, stalls, Map.of(), fingerprint);
    }

    /** The command that runs exactly this again. */
    public String replay() {
      return "./rekindle simulate --seeds 1 --from " + seed;
    }
  }

  private SeedRun() {}

  /** Runs the seed with the real controller. */
  public static Outcome run(long seed) {
    return run(seed, Reconcilers.REAL, null);
  }

  /** Runs the seed with the given controller; the listener gets everything. */
  public static Outcome run(
      long seed, Reconcilers.Factory controller, @Nullable Consumer<SimEvent> listener) {
    Played played = play(seed, controller, listener, true);
    boolean changed =
        played.outcome().violation().filter(v -> v.invariant() == LEADER_CHANGE).isPresent();
    if (!changed) {
      return played.outcome();
    }
    Played alive = play(seed, controller, null, false);
    boolean left = alive.undisturbed() && !alive.atRest().containsAll(played.atRest());
    return left ? played.outcome() : played.outcome().withoutViolation();
  }

  /**
   * One run of a seed.
   *
   * @param atRest what was written at rest, where that was watched
   * @param undisturbed whether nothing else happened meanwhile
   */
  private record Played(Outcome outcome, Set<String> atRest, boolean undisturbed) {}

  private static Played play(
      long seed,
      Reconcilers.Factory controller,
      @Nullable Consumer<SimEvent> listener,
      boolean leaderDies) {
    SplittableRandom random = new SplittableRandom(seed);
    Setup setup = ClusterGenerator.setup(seed, random);
    WriteObservers deeds = new WriteObservers();
    try (Simulation simulation = Simulation.of(setup, controller, deeds)) {
      if (listener != null) {
        simulation.listen(listener);
      }
      Invariants invariants =
          new Invariants(
              simulation.world(),
              setup.policy(),
              simulation.fleet().answers(),
              simulation::now,
              setup.timing().scan(),
              simulation.fleet()::isLed);
      WriteCounts counts = new WriteCounts();
      deeds.to(List.of(invariants.deeds(), counts));
      Chaos chaos = new Chaos(simulation, setup, random, invariants);
      Instant calm = chaos.plan();
      boolean broken =
          simulation.runUntil(
              () -> invariants.violation().isPresent(), Duration.between(simulation.now(), calm));
      if (!broken) {
        Instant patience =
            Math.floorMod(seed, IMPATIENT) == 0 ? simulation.now().plus(PATIENCE) : Instant.MIN;
        RandomGenerator quiet = new SplittableRandom(seed ^ QUIET);
        comeToRest(simulation, invariants, chaos, patience, quiet, leaderDies);
      }
      LeaderChange change = invariants.change();
      return new Played(
          outcome(seed, simulation, invariants, chaos, counts),
          Set.copyOf(change.written()),
          change.undisturbed());
    }
  }

  private static void comeToRest(
      Simulation simulation,
      Invariants invariants,
      Chaos chaos,
      Instant patience,
      RandomGenerator quiet,
      boolean leaderDies) {
    Convergence rest = invariants.rest();
    Instant bound = simulation.now().plus(BOUND);
    int atRest = 0;
    int leftSuspended = 0;
    int leftFrozen = 0;
    String unrest = "";
    boolean stuck = false;
    while (atRest < LOOKS_AT_REST && simulation.now().isBefore(bound)) {
      if (simulation.runUntil(() -> invariants.violation().isPresent(), LOOK)) {
        return;
      }
      invariants.look();
      List<String> left = rest.leftSuspended();
      leftSuspended = left.isEmpty() ? 0 : leftSuspended + 1;
      if (leftSuspended > LOOKS_LEFT_SUSPENDED) {
        invariants.broken(Invariant.NEVER_LEFT_SUSPENDED, String.join(", ", left));
        return;
      }
      List<String> frozen = chaos.agentsAreAway() ? List.of() : rest.leftFrozen();
      leftFrozen = frozen.isEmpty() ? 0 : leftFrozen + 1;
      if (leftFrozen > LOOKS_LEFT_FROZEN) {
        invariants.broken(Invariant.NEVER_LEFT_FROZEN, String.join(", ", frozen));
        return;
      }
      left = left.isEmpty() ? frozen : left;
      stuck = !left.isEmpty();
      unrest = stuck ? left.getFirst() : rest.unrest();
      boolean waits =
          invariants.anyWaits() || (simulation.now().isBefore(patience) && rest.endsByItself());
      boolean still = unrest.isEmpty() && !chaos.unfinished() && !waits;
      atRest = still ? atRest + 1 : 0;
    }
    // When the time ends, a recovery may be in progress, or may have come to rest a moment ago.
    boolean unfinished = unrest.isEmpty() && chaos.unfinished();
    boolean atWork = !unfinished && !stuck && rest.unrestOfLong().isEmpty();
    if (atRest == LOOKS_AT_REST && quiet.nextInt(10) == 0) {
      QuietTime.pass(simulation, quiet, invariants, LOOK);
    } else if (atRest == LOOKS_AT_REST && quiet.nextInt(4) == 0) {
      invariants.change().happen(simulation, LOOK, leaderDies);
    }
    if (atRest < LOOKS_AT_REST && !atWork) {
      invariants.broken(Invariant.ENDS, unrest);
    }
  }

  private static Outcome outcome(
      long seed, Simulation simulation, Invariants invariants, Chaos chaos, WriteCounts counts) {
    long fingerprint = simulation.eventsRun() * 31 + simulation.now().toEpochMilli();
    for (var recovery : simulation.world().recoveries().all()) {
      fingerprint = fingerprint * 31 + recovery.toString().hashCode();
    }
    return new Outcome(
        seed,
        invariants.violation(),
        simulation.fleet().failures().stream().findFirst(),
        invariants.recoveriesEnded(),
        chaos.hits(),
        chaos.dangers(),
        invariants.stalls(),
        counts.counts(),
        fingerprint);
  }
}
