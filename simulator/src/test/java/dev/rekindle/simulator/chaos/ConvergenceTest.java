package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.OrderObject;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** For how long something may be frozen that no order speaks of any more. */
class ConvergenceTest extends WatchedCluster {
  private static final Duration LASTS = Duration.ofSeconds(100);

  /** The gang is frozen, a node is cut off without an agent, and the order is withdrawn. */
  @BeforeEach
  void freezeForGood() {
    simulation.runFor(Duration.ofSeconds(30));
    String uid = simulation.job(Given.KEY).uid();
    OrderObject order =
        new OrderObject(
            Meta.draft(Given.KEY.namespace(), "demo-r1-1", uid),
            new RestartOrderSpec(
                JobRef.pyTorchJob(Given.KEY.name(), uid),
                "demo-r1",
                RestartInstruction.FREEZE,
                "",
                simulation.now().plus(LASTS)));
    simulation.world().orders().create(order);
    invariants.deeds().ordered(null, order);
    simulation.runFor(Duration.ofSeconds(2));
    String node = simulation.pods(Given.KEY).getFirst().node();
    simulation.levers().cutOff(node);
    simulation.levers().agentDies(node, Duration.ofHours(1));
    simulation.world().orders().delete(Given.KEY.namespace() + "/demo-r1-1", "", null);
    simulation.runFor(Duration.ofSeconds(60));
  }

  @Test
  void shouldLetBeWhatIsCutOffUntilItsOrderRunsOut() {
    assertThat(invariants.rest().leftFrozen()).isEmpty();

    simulation.runFor(Duration.ofSeconds(40));
    assertThat(invariants.rest().leftFrozen()).hasSize(1);
  }

  @Test
  void shouldNotLetItBeOnceItsNodeIsBack() {
    simulation.levers().nodeReturns(simulation.pods(Given.KEY).getFirst().node());
    simulation.runFor(Duration.ofMillis(1));

    assertThat(invariants.rest().leftFrozen()).hasSize(1);
  }
}
