package dev.rekindle.simulator.process;

import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.simulator.world.PolicyObject;
import dev.rekindle.simulator.world.World;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Calls about recovery policies. */
final class PolicyCalls {
  private final World world;
  private final ApiCalls api;
  private final FlatState state;

  PolicyCalls(World world, ApiCalls api, FlatState state) {
    this.world = world;
    this.api = api;
    this.state = state;
  }

  void score(String policy, UnaryOperator<Scorecard> change) {
    api.change(
        () -> {
          Optional<PolicyObject> found = api.find(() -> world.policies().get(policy));
          if (found.isEmpty()) {
            return;
          }
          PolicyObject before = found.get();
          Scorecard after = change.apply(before.card());
          if (after.equals(before.card())) {
            return;
          }
          PolicyObject stored =
              api.attempt(
                  () ->
                      world
                          .policies()
                          .update(
                              policy,
                              before.meta().version(),
                              p -> new PolicyObject(p.meta(), p.policy(), after)));
          state
              .scorecardFeed()
              .present(policy, Long.toString(stored.meta().version()), stored.card());
        });
  }
}
