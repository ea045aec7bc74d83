package dev.rekindle.controller.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Policy.FenceScope;
import dev.rekindle.detect.weigh.Thresholds;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EffectivePolicyTest {
  private static final int MANY = 20_000;

  /** Whether one policy allows no more than the other in that component. */
  private static final Map<String, BiPredicate<Policy, Policy>> NOT_LAXER =
      Map.of(
          "mode", (p, q) -> p.mode().compareTo(q.mode()) <= 0,
          "maxRestarts", (p, q) -> p.maxRestarts() <= q.maxRestarts(),
          "budgetWindow", (p, q) -> p.budgetWindow().compareTo(q.budgetWindow()) >= 0,
          "maxAttempts", (p, q) -> p.maxAttempts() <= q.maxAttempts(),
          "maxFencedNodes", (p, q) -> p.maxFencedNodes() <= q.maxFencedNodes(),
          "paused", (p, q) -> p.paused() || !q.paused(),
          "maxSpares", (p, q) -> p.maxSpares() <= q.maxSpares(),
          "maxSparesPerNamespace", (p, q) -> p.maxSparesPerNamespace() <= q.maxSparesPerNamespace(),
          "maxFencedPercent", (p, q) -> percent(p) <= percent(q),
          "poolLabel", (p, q) -> q.poolLabel().isEmpty() || p.poolLabel().equals(q.poolLabel()));

  /** Never asked but of the policy {@code default}: whatever a tenant names changes nothing. */
  private static final Map<String, Function<Policy, Object>> OF_THE_BOUND =
      Map.of(
          "nodeConditions", Policy::nodeConditions,
          "deviceResources", Policy::deviceResources,
          "fenceScope", Policy::fenceScope,
          "thresholds", Policy::thresholds,
          "maxFencedPerNamespace", Policy::maxFencedPerNamespace,
          "rebootSettle", Policy::rebootSettle,
          "fenceLemons", Policy::fenceLemons);

  /** What concerns no one but the job. */
  private static final Set<String> OWN =
      Set.of(
          "gracePeriodCap",
          "drainTimeout",
          "stall",
          "minStall",
          "silentNode",
          "kubeletRestart",
          "start",
          "inspect",
          "revival",
          "readyStable",
          "topologyKeys",
          "restart",
          "freeze",
          "replacement",
          "maintenance",
          "approval",
          "namespaces");

  @Test
  void shouldKnowOfEveryComponentWhoseBusinessItIs() {
    Set<String> known = new HashSet<>(OWN);
    known.addAll(NOT_LAXER.keySet());
    known.addAll(OF_THE_BOUND.keySet());

    assertThat(Arrays.stream(Policy.class.getRecordComponents()).map(RecordComponent::getName))
        .containsExactlyInAnyOrderElementsOf(known);
  }

  @Test
  void shouldNeverBeLaxerThanTheBoundNorThanWhatIsNamed() {
    RandomGenerator random = RandomGeneratorFactory.getDefault().create(7);
    for (int i = 0; i < MANY; i++) {
      Policy named = any(random);
      Policy bound = any(random);

      Policy effective = EffectivePolicy.within(named, bound);

      NOT_LAXER.forEach(
          (name, holds) -> {
            assertThat(holds.test(effective, bound)).as("%s, bound %s", name, bound).isTrue();
            boolean ownPool = name.equals("poolLabel") && !bound.poolLabel().isEmpty();
            assertThat(ownPool || holds.test(effective, named)).as("%s, %s", name, named).isTrue();
          });
      OF_THE_BOUND.forEach(
          (name, value) ->
              assertThat(value.apply(effective)).as(name).isEqualTo(value.apply(bound)));
      assertThat(EffectivePolicy.within(effective, bound)).isEqualTo(effective);
      assertThat(EffectivePolicy.within(bound, bound)).isEqualTo(bound);
    }
  }

  private static <T> T oneOf(RandomGenerator random, T[] all) {
    return all[random.nextInt(all.length)];
  }

  private static Policy any(RandomGenerator random) {
    return Policy.DEFAULT.with(
        b ->
            b.mode(oneOf(random, Mode.values()))
                .paused(random.nextBoolean())
                .maxRestarts(random.nextInt(10))
                .budgetWindow(seconds(random))
                .maxAttempts(1 + random.nextInt(5))
                .maxSpares(random.nextInt(5))
                .maxSparesPerNamespace(random.nextInt(5))
                .maxFencedNodes(random.nextInt(6))
                .maxFencedPercent(random.nextBoolean() ? null : 1 + random.nextInt(100))
                .poolLabel(random.nextBoolean() ? "" : "pool-" + random.nextInt(3))
                .nodeConditions(List.of())
                .deviceResources(List.of("gpu-" + random.nextInt(3)))
                .fenceScope(oneOf(random, FenceScope.values()))
                .thresholds(
                    Thresholds.DEFAULT.with(
                        b2 -> b2.silence(seconds(random)).owners(2 + random.nextInt(3))))
                .rebootSettle(seconds(random))
                .fenceLemons(random.nextBoolean())
                .maxFencedPerNamespace(random.nextInt(5))
                .stall(seconds(random)));
  }

  private static Duration seconds(RandomGenerator random) {
    return Duration.ofSeconds(random.nextInt(100));
  }

  private static int percent(Policy policy) {
    @Nullable Integer percent = policy.maxFencedPercent();
    return Objects.requireNonNullElse(percent, Integer.MAX_VALUE);
  }
}
