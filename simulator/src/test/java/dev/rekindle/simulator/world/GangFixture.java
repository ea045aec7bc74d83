package dev.rekindle.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.SimEvent.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/**
 * A step takes one second, every tenth is followed by two seconds in which a checkpoint is written:
 * a cycle of twelve seconds. All times are counted from the end of the first step.
 */
abstract class GangFixture {
  final List<Simulation> open = new ArrayList<>();
  final List<String> training = new ArrayList<>();
  Instant first = Instant.MAX;

  @AfterEach
  void close() {
    open.forEach(Simulation::close);
  }

  static Given.Job job() {
    return Given.job()
        .restart(RestartPolicy.ON_FAILURE)
        .training(Duration.ofSeconds(1), 10, Duration.ofSeconds(2));
  }

  Simulation simulation(Given.Job job) {
    Simulation simulation = Simulation.of(Given.cluster(4, job.setup()));
    open.add(simulation);
    simulation.listen(this::heard);
    return simulation;
  }

  void heard(SimEvent happening) {
    if (happening.kind() == Kind.TRAINING) {
      training.add(happening.text());
    }
  }

  /** One that has just made its first step. */
  Simulation training(Given.Job job) {
    training.clear();
    Simulation simulation = simulation(job);
    assertThat(simulation.runUntil(() -> !training.isEmpty(), Duration.ofMinutes(5))).isTrue();
    first = simulation.now();
    return simulation;
  }

  void after(Simulation simulation, long millis) {
    simulation.runFor(Duration.between(simulation.now(), first.plusMillis(millis)));
  }
}
