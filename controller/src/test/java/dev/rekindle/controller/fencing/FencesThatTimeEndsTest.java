package dev.rekindle.controller.fencing;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.port.Changes;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Fences that end when a time has passed: no watch event comes, so the reconciler requeues. */
class FencesThatTimeEndsTest extends NodeWritesFixture {
  private final FlatState state = new FlatState(Changes.to(_ -> {}, _ -> {}, _ -> {}));

  private final FenceReconciler reconciler =
      new FenceReconciler(state, gateway, metrics, () -> now, writes);

  /** No object of such a node changes again. Without a requeue it would stay cordoned. */
  @Test
  void shouldReleaseARebootedNodeWithoutAnotherWatchEvent() {
    Instant back = T0.plusSeconds(60);
    NodeView rebooted = node("n", Readiness.READY, back, true, "fault/f").withBootId("boot-2");
    state.nodeFeed().present("n", "1", rebooted);
    state.faultFeed().present("f", "1", fault("n", "XID-79", FenceGuidance.ALWAYS).withName("f"));
    now = back.plusSeconds(1);

    Optional<Duration> again = reconciler.reconcile("n");
    for (int i = 0; i < 10 && again.isPresent() && calls.isEmpty(); i++) {
      now = now.plus(again.get());
      again = reconciler.reconcile("n");
    }

    assertThat(calls).containsExactly("release n");
    assertThat(now).isBeforeOrEqualTo(back.plus(Policy.DEFAULT.rebootSettle()).plusSeconds(1));
  }
}
