package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.notification.Notification;
import dev.rekindle.controller.notification.RecoveryNotifications;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.process.Companion;
import dev.rekindle.simulator.process.Reconcilers;
import dev.rekindle.simulator.process.SimulatedNotifications;
import dev.rekindle.simulator.process.SimulatedNotifications.Way;
import dev.rekindle.simulator.process.SimulatedReceiver;
import dev.rekindle.simulator.process.SimulatedReceiver.Mood;
import dev.rekindle.simulator.setup.Setup;
import dev.rekindle.simulator.world.RecoveryObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each transition of a recovery reaches a webhook at least once, within a bound once the webhook is
 * there, whatever befalls controllers and webhook before; and no recovery waits for one.
 */
class NotificationsTest {
  private static final int SEEDS = Integer.getInteger("simulate.notifications", 300);

  /** Runs of which each is made several times. */
  private static final int COMPARED = 25;

  /** From when both a webhook and a controller are well; an outage makes pauses grow to 64 s. */
  private static final Duration BOUND = Duration.ofMinutes(3);

  /** A run, with everything that befalls a cluster by its seed. */
  private static final class Run implements AutoCloseable {
    private final SplittableRandom random;
    private final Simulation simulation;
    private final Instant calm;

    /** When each transition was stored. */
    private final Map<String, Instant> stored = new HashMap<>();

    private Run(long seed, Companion companion) {
      SplittableRandom chance = new SplittableRandom(seed);
      Setup setup = ClusterGenerator.setup(seed, chance);
      WriteObservers deeds = new WriteObservers();
      random = new SplittableRandom(seed ^ 0x776562L);
      simulation = Simulation.of(setup, Reconcilers.REAL, deeds);
      simulation.fleet().accompanyBy(companion);
      simulation
          .world()
          .recoveries()
          .watch(
              change ->
                  said(change.object()).forEach(n -> stored.putIfAbsent(n.id(), simulation.now())));
      Invariants invariants =
          new Invariants(
              simulation.world(),
              setup.policy(),
              simulation.fleet().answers(),
              simulation::now,
              setup.timing().scan());
      deeds.to(List.of(invariants.deeds()));
      calm = new Chaos(simulation, setup, chance, invariants).plan();
    }

    private void troubleOf(SimulatedReceiver receiver) {
      Mood[] moods = Mood.values();
      Instant at = Loop.T0;
      while (at.isBefore(calm)) {
        Mood next = moods[random.nextInt(moods.length)];
        simulation.at(at, () -> receiver.become(next));
        at = at.plusMillis(2_000 + random.nextInt(30_000));
      }
      simulation.at(calm, () -> receiver.become(Mood.GOOD));
    }

    /** Identities of what was stored a bound ago, still stands, and was not taken. */
    private List<String> missing(SimulatedReceiver receiver) {
      List<String> missing = new ArrayList<>();
      for (RecoveryObject recovery : simulation.world().recoveries().all()) {
        for (Notification n : said(recovery)) {
          Instant since = Objects.requireNonNull(stored.get(n.id()));
          boolean due = since.plus(BOUND).isBefore(simulation.now());
          if (due && !receiver.taken().containsKey(n.id())) {
            missing.add(recovery.meta().name() + " " + n.type().word() + " of " + since);
          }
        }
      }
      return missing;
    }

    private void until(Duration afterCalm) {
      simulation.runFor(Duration.between(simulation.now(), calm.plus(afterCalm)));
    }

    /** The recoveries as they are, without the versions of their objects. */
    private List<String> recoveries() {
      List<String> all = new ArrayList<>();
      for (RecoveryObject recovery : simulation.world().recoveries().all()) {
        RecoveryStatus status = recovery.status();
        all.add(recovery.meta().name() + " " + status);
      }
      return all;
    }

    @Override
    public void close() {
      simulation.close();
    }
  }

  private static List<Notification> said(RecoveryObject recovery) {
    return RecoveryNotifications.of(recovery.view(), Instant.EPOCH);
  }

  private static SimulatedReceiver receiver(long seed) {
    return new SimulatedReceiver(new SplittableRandom(seed ^ 0x72656376L));
  }

  private static List<String> missing(long seed, Way way) {
    SimulatedReceiver receiver = receiver(seed);
    try (Run run = new Run(seed, new SimulatedNotifications(receiver, seed, way))) {
      run.troubleOf(receiver);
      run.until(BOUND.multipliedBy(2));
      return run.missing(receiver).stream().map(m -> "seed " + seed + ": " + m).toList();
    }
  }

  @Test
  void shouldDeliverEachTransitionAtLeastOnce() {
    List<String> missing =
        LongStream.range(0, SEEDS)
            .parallel()
            .mapToObj(seed -> missing(seed, Way.REAL))
            .flatMap(List::stream)
            .toList();

    assertThat(missing).isEmpty();
  }

  @Test
  void shouldCatchAControllerThatTakesEveryAnswerForASuccess() {
    assertThat(
            LongStream.range(0, 20)
                .anyMatch(seed -> !missing(seed, Way.TAKING_EVERY_ANSWER_FOR_A_SUCCESS).isEmpty()))
        .isTrue();
  }

  @Test
  void shouldCatchAControllerThatSendsAfterItHasWrittenThatDown() {
    assertThat(
            LongStream.range(0, 40).anyMatch(seed -> !missing(seed, Way.SENDING_LATER).isEmpty()))
        .isTrue();
  }

  /** The same run to the microsecond, whether the webhook answers, hangs, or is not there. */
  @ParameterizedTest
  @EnumSource(
      value = Mood.class,
      names = {"GOOD", "BROKEN", "HANGS"})
  void shouldKeepNoRecoveryWaiting(Mood mood) {
    for (long seed = 0; seed < COMPARED; seed++) {
      SimulatedReceiver receiver = receiver(seed);
      receiver.become(mood);
      try (Run without = new Run(seed, Companion.NONE);
          Run with = new Run(seed, new SimulatedNotifications(receiver, seed, Way.REAL))) {
        without.until(Duration.ofMinutes(2));
        with.until(Duration.ofMinutes(2));

        assertThat(with.recoveries()).as("seed " + seed).isEqualTo(without.recoveries());
      }
    }
  }
}
