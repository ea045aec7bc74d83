package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A gang of which one container ended as it began, and that has trained for a minute since. */
class NeededStopsTest extends WatchedCluster {
  private boolean stopBreaks() {
    simulation.levers().rankDiesAtStart(Given.KEY, 0, 1);
    simulation.runFor(Duration.ofMinutes(3));
    JobObject job = simulation.world().jobs().get(Given.KEY.toString());
    assertThat(simulation.pods(Given.KEY)).anyMatch(pod -> pod.lastExit() != null);
    invariants.deeds().wrote(job, job.withSuspend(true, "demo-r1"), "suspend", "demo-r1");
    return invariants.violation().filter(v -> v.invariant() == Invariant.NEEDED_STOPS).isPresent();
  }

  /** Seed 94313004. */
  @Test
  void shouldLetAStopBeWhereTheEndOfAContainerIsAllThatIsKnown() {
    for (NodeObject node : simulation.world().nodes().all()) {
      simulation.levers().agentDies(node.meta().name(), Duration.ofHours(1));
    }

    assertThat(stopBreaks()).isFalse();
  }

  @Test
  void shouldNotLetItBeWhereAgentsReport() {
    assertThat(stopBreaks()).isTrue();
  }
}
