package dev.rekindle.controller.fencing;

import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.FaultView.Incident;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.port.Changes;
import dev.rekindle.controller.runtime.Backoff;
import dev.rekindle.controller.runtime.WorkQueue;
import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Times that agents write, by the clock of their node, or by no clock at all. */
class TimesOfAgentsTest extends NodeWritesFixture {
  private static final Instant FAR = Instant.parse("9999-12-31T23:59:59Z");

  private final FlatState state = new FlatState(Changes.to(_ -> {}, _ -> {}, _ -> {}));

  private final FenceReconciler reconciler =
      new FenceReconciler(state, gateway, metrics, () -> now, writes);

  /** The nodes of all others are reconciled by the same workers. */
  @Test
  void shouldReconcileOtherNodesWhereAFaultWasSeenInTheYear9999() throws InterruptedException {
    state.policyFeed().present("default", "1", Policy.DEFAULT);
    state.nodeFeed().present("n", "1", node("n"));
    state
        .faultFeed()
        .present(
            "f",
            "1",
            fault("n", "XID-13", FenceGuidance.THRESHOLD)
                .withIncidents(
                    List.of(new Incident(FAR, FAR, 1, "", "team", "p", "job-uid", "boot"))));
    WorkQueue<String> queue =
        new WorkQueue<>(
            "nodes",
            new Backoff(Duration.ofMillis(1), Duration.ofMillis(2), new Random(1)),
            SteadyClock.system());
    Semaphore reconciled = new Semaphore(0);
    queue.start(
        4,
        name -> {
          var again = reconciler.reconcile(name);
          reconciled.release();
          return again;
        });
    for (int i = 0; i < 20; i++) {
      queue.add(i == 0 ? "n" : "other-" + i);
      assertThat(reconciled.tryAcquire(10, TimeUnit.SECONDS)).as("node %d", i).isTrue();
    }
    assertThat(queue.alive()).isTrue();
    queue.close();
  }
}
