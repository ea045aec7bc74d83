package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.NodeConditionRule;
import dev.rekindle.controller.model.Policy;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Which types of node conditions are cached: those that a rule of the policy names. A node has a
 * dozen conditions that change at different times, so with ten thousand nodes the others would
 * cause constant work for values that nothing reads.
 */
final class KeptConditions implements Predicate<String> {
  private final Function<Policy, Predicate<String>> named;
  private volatile Predicate<String> kept;
  private Set<String> types = types(Policy.DEFAULT);
  private Runnable changed = () -> {};

  /**
   * Keeps what the default policy names.
   *
   * @param named the types that some rule of a policy names
   */
  KeptConditions(Function<Policy, Predicate<String>> named) {
    this.named = named;
    kept = named.apply(Policy.DEFAULT);
  }

  /** Called when others are kept from now on: what was not kept is to be read again. */
  synchronized void whenChanged(Runnable then) {
    changed = then;
  }

  /** This policy is in force now. */
  synchronized void become(Policy policy) {
    if (!types.equals(types(policy))) {
      types = types(policy);
      kept = named.apply(policy);
      changed.run();
    }
  }

  private static Set<String> types(Policy policy) {
    return policy.nodeConditions().stream()
        .map(NodeConditionRule::type)
        .collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public boolean test(String type) {
    return kept.test(type);
  }
}
