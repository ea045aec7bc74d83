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

/** What only time decides: no watch tells of it, so the reconciler asks to be called again. */
class FencesThatTimeEndsTest extends NodeWritesFixture {
  private final FlatState state = new FlatState(Changes.to(_ -> {}, _ -> {}, _ -> {}));

  private final FenceReconciler reconciler =
      new FenceReconciler(state, gateway, metrics, () -> now, writes);

  /** Nothing of such a node changes any more: it would stay cordoned for good. */
  @Test
  void shouldReleaseARebootedNodeThoughNothingOfItChangesAnyMore() {
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
