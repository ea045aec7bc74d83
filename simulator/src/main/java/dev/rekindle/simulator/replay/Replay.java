package dev.rekindle.simulator.replay;

import static java.util.Objects.requireNonNullElse;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.SimEvent;
import dev.rekindle.simulator.world.TrainingView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** One replay of a trace in one world. */
final class Replay {
  /** No job takes so long to train for the first time. */
  private static final Duration FIRST_START = Duration.ofDays(1);

  private static final Duration CHUNK = Duration.ofDays(1);

  /**
   * A fault begins or ends.
   *
   * @param at when, from the beginning of the trace
   * @param begins whether it begins
   */
  private record Turn(Duration at, boolean begins, Outage outage) {}

  private final Plan plan;
  private final World world;
  private final Consumer<Duration> progress;
  private final Simulation simulation;
  private final Instant origin;
  private final Faults faults;
  private final ManualOperator person;
  private final Timeline timeline;
  private boolean moving = true;

  private Replay(Plan plan, World world, Consumer<Duration> progress, Simulation simulation) {
    this.plan = plan;
    this.world = world;
    this.progress = progress;
    this.simulation = simulation;
    this.origin = simulation.now();
    this.faults = new Faults(simulation, plan.options().job.unknown);
    this.person = new ManualOperator(simulation, plan, faults);
    long firstStep = simulation.training(Setups.JOB).step();
    this.timeline = new Timeline(firstStep, plan.options().job.stepsPerCheckpoint());
  }

  /**
   * Runs it to the end.
   *
   * @param progress gets each piece of time when it has been replayed
   */
  static Result run(Plan plan, World world, Consumer<Duration> progress) {
    try (Simulation simulation = Simulation.of(Setups.of(plan, world))) {
      if (!simulation.runUntil(() -> simulation.training(Setups.JOB).moving(), FIRST_START)) {
        throw new IllegalStateException("the job never trained, with no fault yet");
      }
      return new Replay(plan, world, progress, simulation).run();
    }
  }

  private Result run() {
    simulation.listen(
        event -> {
          if (event.kind() == SimEvent.Kind.TRAINING) {
            observe();
          }
        });
    for (Turn turn : turns()) {
      runTo(turn.at());
      if (turn.begins()) {
        faults.begin(turn.outage()).ifPresent(timeline::fault);
      } else {
        faults.end(turn.outage());
        person.repaired(turn.outage().node());
      }
      observe();
    }
    runTo(plan.wall());
    TrainingView training = simulation.training(Setups.JOB);
    return result(timeline.end(plan.wall(), training.moving(), training.step()));
  }

  private List<Turn> turns() {
    List<Turn> turns = new ArrayList<>();
    for (Outage outage : plan.trace().outages()) {
      turns.add(new Turn(outage.start(), true, outage));
      if (outage.end().compareTo(plan.wall()) < 0) {
        turns.add(new Turn(outage.end(), false, outage));
      }
    }
    // A node that is good again may fail again at the same moment.
    turns.sort(Comparator.comparing(Turn::at).thenComparing(Turn::begins));
    return turns;
  }

  private void runTo(Duration at) {
    for (Duration now = elapsed(); now.compareTo(at) < 0; now = elapsed()) {
      Duration rest = at.minus(now);
      simulation.runFor(rest.compareTo(CHUNK) < 0 ? rest : CHUNK);
      progress.accept(elapsed().minus(now));
    }
  }

  private void observe() {
    TrainingView training = simulation.training(Setups.JOB);
    timeline.shortOfNodes(elapsed(), faults.out().size() > plan.spares());
    timeline.update(elapsed(), training.moving(), training.step());
    if (world == World.PERSON && training.moving() != moving) {
      if (training.moving()) {
        person.moves();
      } else {
        person.stands();
      }
    }
    moving = training.moving();
  }

  private Duration elapsed() {
    return Duration.between(origin, simulation.now());
  }

  private Result result(Timeline.Account account) {
    List<RecoveryView> recoveries = simulation.recoveries(Setups.JOB);
    Stream<Instant> actions =
        world == World.PERSON
            ? person.acted().stream()
            : recoveries.stream().map(r -> requireNonNullElse(r.spec().detectedAt(), origin));
    return new Result(
        plan,
        world,
        account,
        faults.tallies(),
        recoveries.stream().map(Replay::ended).toList(),
        actions.map(at -> Duration.between(origin, at)).toList());
  }

  private static Result.Ended ended(RecoveryView recovery) {
    RecoveryStatus status = recovery.status();
    return new Result.Ended(
        status == null || status.cause() == null ? "unknown" : status.cause().reason(),
        status == null || status.phase() == null ? RecoveryPhase.DETECTED : status.phase(),
        status == null ? 0 : status.attempt());
  }
}
