package dev.rekindle.controller.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

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
          "settle", Policy::settle,
          "fenceLemons", Policy::fenceLemons);

  /** What concerns no one but the job. */
  private static final Set<String> OWN =
      Set.of(
          "gracePeriodCap",
          "drainTimeout",
          "stall",
          "silentNode",
          "inPlace",
          "start",
          "inspect",
          "failedJob",
          "stable",
          "topologyKeys",
          "restart",
          "freeze",
          "frozen",
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

  static Stream<Arguments> pairs() {
    return Stream.of(
        argumentSet("a laxer mode", "mode: auto", "mode: observe", "mode: observe"),
        argumentSet("a stricter mode", "mode: approve", "mode: auto", "mode: approve"),
        argumentSet(
            "more restarts in less time",
            "maxRestarts: 100\nbudgetWindowSeconds: 60",
            "maxRestarts: 4\nbudgetWindowSeconds: 3600",
            "maxRestarts: 4\nbudgetWindowSeconds: 3600"),
        argumentSet("fewer fences", "maxFencedNodes: 1", "maxFencedNodes: 9", "maxFencedNodes: 1"),
        argumentSet("more fences", "maxFencedNodes: 900", "maxFencedNodes: 2", "maxFencedNodes: 2"),
        argumentSet("no share", "{}", "maxFencedPercent: 5", "maxFencedPercent: 5"),
        argumentSet("a share of its own", "maxFencedPercent: 5", "{}", "maxFencedPercent: 5"),
        argumentSet("thresholds", "weighing: {owners: 9}", "burstSeconds: 7", "burstSeconds: 7"),
        argumentSet("every GPU node", "fenceScope: gpuNodes", "{}", "{}"),
        argumentSet("its own times", "stallSeconds: 77", "stallSeconds: 900", "stallSeconds: 77"),
        argumentSet("its own way", "restart: rebuild", "restart: inPlace", "restart: rebuild"));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void shouldHoldAPolicyToItsBound(String named, String bound, String effective) {
    assertThat(EffectivePolicy.within(Policy.ofYaml(named), Policy.ofYaml(bound)))
        .isEqualTo(Policy.ofYaml(effective));
  }

  private static <T> T oneOf(RandomGenerator random, T[] all) {
    return all[random.nextInt(all.length)];
  }

  private static Policy any(RandomGenerator random) {
    return Policy.DEFAULT.with(
        b ->
            b.mode(oneOf(random, Mode.values()))
                .maxRestarts(random.nextInt(10))
                .budgetWindow(seconds(random))
                .maxAttempts(1 + random.nextInt(5))
                .maxFencedNodes(random.nextInt(6))
                .maxFencedPercent(random.nextBoolean() ? null : 1 + random.nextInt(100))
                .poolLabel(random.nextBoolean() ? "" : "pool-" + random.nextInt(3))
                .nodeConditions(List.of())
                .deviceResources(List.of("gpu-" + random.nextInt(3)))
                .fenceScope(oneOf(random, FenceScope.values()))
                .thresholds(
                    Thresholds.DEFAULT.with(
                        b2 -> b2.silence(seconds(random)).owners(2 + random.nextInt(3))))
                .settle(seconds(random))
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
