package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.WriteObserver;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks the invariants during a run. Creates the checks, each of one or a few invariants, and
 * keeps the first violation. The checks use the true state and not the controller's view:
 * processes, checkpoints, each write as it takes effect.
 */
public final class Invariants {
  private final Supplier<Instant> clock;
  private final List<Check> checks;
  private final WriteObservers deeds = new WriteObservers();
  private final Checkpoints checkpoints;
  private final EndedRecoveries endings;
  private final TrueCulprits culprits;
  private final Convergence rest;
  private final LeaderChange change;

  private Optional<Violation> violation = Optional.empty();
  private @Nullable RecoveryStatus read;
  private String text = "";

  /**
   * Watches the world, which obeys the policy and answers so.
   *
   * @param scan the time between two looks of an inspector
   */
  public Invariants(
      World world, Policy policy, Answers answers, Supplier<Instant> clock, Duration scan) {
    this(world, policy, answers, clock, scan, () -> true);
  }

  /**
   * The same, of a cluster whose controllers may all be away.
   *
   * @param led whether one of them leads
   */
  Invariants(
      World world,
      Policy policy,
      Answers answers,
      Supplier<Instant> clock,
      Duration scan,
      BooleanSupplier led) {
    this.clock = clock;
    Evidence evidence = new Evidence(world, clock);
    Breaker breaker = new Breaker(world, policy, clock);
    Consent consent = new Consent(world, this, policy);
    Fences fences = new Fences(world, this, policy, evidence, breaker);
    CrashLoops loops = new CrashLoops(world, this);
    this.checkpoints = new Checkpoints(world, this, loops);
    GangChanges changes = new GangChanges(world);
    Places places = new Places(world, clock);
    Trouble trouble = new Trouble(world, evidence, clock);
    SeenLosses losses = new SeenLosses(world, clock);
    this.endings = new EndedRecoveries(world, this, trouble);
    this.culprits = new TrueCulprits(world, this);
    this.change = new LeaderChange(world, this);
    this.rest = new Convergence(world, this, answers, evidence, consent, fences);
    this.checks =
        List.of(
            endings,
            consent,
            new Modes(world, this, policy, evidence),
            fences,
            new Budgets(world, this, policy),
            new Barrier(world, this),
            checkpoints,
            new LocalCheckpoints(world, this, checkpoints, loops, changes),
            new Scorecards(world, this),
            rest,
            new SuspendedFirst(world, this),
            new JobIsolation(world, this),
            new CallRates(world, this),
            new SmallObjects(world, this, answers),
            new TrueHolds(world, this, answers, breaker, scan, led, loops),
            new LastingOrders(world, this, policy),
            new MustFence(world, this, policy, answers, evidence, breaker),
            new TrueRecovery(world, this, policy),
            new TrueVerdicts(world, this),
            new LastingVerdicts(world, this),
            new WithinBackoff(world, this),
            new TrueCancels(world, this),
            new TrueFaults(world, this),
            culprits,
            loops,
            new NearestNodes(world, this, places),
            new Placeable(world, this, places, evidence),
            new KueueDecides(world, this, answers),
            new OwnNodeOnly(world, this),
            new LiesStayHome(world, this),
            new TrueNetwork(world, this),
            new TrueTimeouts(world, this, policy),
            // Where no node takes pods there is no room either: what is more is said.
            new BoundVolumes(world, this),
            new PlannedRoom(world, this, places, evidence),
            new ShownFaults(world, this, answers),
            new Maintenance(world, this, policy),
            new NeededStops(world, this, trouble),
            new FenceQuotas(world, this, policy),
            new FrozenWhileHeld(world, this, answers),
            new SaidRefusals(world, this, answers),
            new TrueCauses(world, this, evidence, trouble, losses),
            new TrueHistory(world, this, policy),
            new Prompt(world, this, policy, answers, rest, scan),
            new Grace(world, this, policy),
            new TrueExclusions(world, this, evidence),
            new KeptRecords(world, this),
            new Spares(world, this, policy, answers, evidence),
            new TrueFigures(world, this),
            new TrueLimits(world, this, policy),
            new ResumedAsPlanned(world, this),
            new Leftovers(world, this, answers),
            new TrueResumes(world, this, losses),
            new SaidReasons(world, this, answers),
            new NeverRestarted(world, this),
            new AskedAgain(world, this, answers),
            new OthersStops(world, this),
            new WholeGang(world, this, policy, answers, rest, consent),
            new PlannedAddresses(world, this, places),
            new Leaks(world, this),
            new GoneJobs(world, this, answers, led),
            new InspectedAgain(world, this, answers),
            new SaidTransitions(world, this, led),
            new TrueLoops(world, this),
            new OnceInPlace(world, this),
            new OthersNodes(world, this),
            new OneLeader(world, this),
            new Ladders(world, this, loops, checkpoints),
            new OwnDisks(world, this, checkpoints),
            new SeenParts(world, this, checkpoints, changes),
            new KeptRollBacks(world, this),
            new MarkedLemons(world, this, answers, led),
            new StartedByKueue(world, this),
            new WarmNodes(world, this, places),
            new NotFinite(world, this, checkpoints),
            new OwnGpus(world, this),
            new MustLeave(world, this, policy, answers, evidence, consent, rest),
            new WaitingGroups(world, this, answers, places, led),
            new TrueSigns(world, this, answers),
            new SaidSigns(world, this, answers),
            new NamedShortfalls(world, this, answers, places),
            change);
    deeds.to(checks);
    world.witness(new TruthObservers(checks));
  }

  /** Who observes what the controller does. */
  public WriteObserver deeds() {
    return deeds;
  }

  /** The first thing that went wrong. */
  public Optional<Violation> violation() {
    return violation;
  }

  /** Recoveries that have come to an end. */
  public int recoveriesEnded() {
    return endings.count();
  }

  /** The outcomes of stalls whose ranks were inspected. */
  Map<StallResult, Integer> stalls() {
    return culprits.results();
  }

  /** What must come to be in the calm. */
  Convergence rest() {
    return rest;
  }

  /** What a new leader does at rest. */
  LeaderChange change() {
    return change;
  }

  /** Looks at what is true now. */
  void look() {
    checks.forEach(Check::look);
  }

  /** Whether a check waits for the end of its bound. */
  boolean anyWaits() {
    for (Check check : checks) {
      if (check.isWaiting()) {
        return true;
      }
    }
    return false;
  }

  /** A checkpoint has just lost its wholeness. */
  void torn(JobKey job) {
    checkpoints.torn(job);
  }

  /** Says that an invariant does not hold. */
  void broken(Invariant invariant, String detail) {
    if (violation.isEmpty()) {
      violation = Optional.of(new Violation(invariant, now(), detail));
    }
  }

  /** All that a status says, which several checks search at each write. */
  String textOf(RecoveryStatus status) {
    if (!status.equals(read)) {
      read = status;
      text = status.toString();
    }
    return text;
  }

  Instant now() {
    return clock.get();
  }
}
