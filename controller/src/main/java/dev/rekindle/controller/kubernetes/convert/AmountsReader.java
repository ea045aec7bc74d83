package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Amounts;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads amounts of resources. A pod may request what it likes: what is no quantity counts for
 * nothing, and no amount is larger than {@link #MOST}.
 */
final class AmountsReader {
  /** A pebibyte; sums of many stay far from the end of a long. */
  static final long MOST = 1L << 50;

  private static final BigDecimal THOUSAND = BigDecimal.valueOf(1_000);

  /** Characters of a quantity; the API server writes a dozen. */
  private static final int LONGEST = 64;

  /** More than a node has; a list longer than that is no list of resources. */
  private static final int MOST_NAMES = 64;

  private AmountsReader() {}

  /**
   * What a pod of this spec requests: its containers together, or its largest init container where
   * that requests more, and what running it costs.
   */
  static Amounts of(@Nullable PodSpec spec) {
    if (spec == null) {
      return Amounts.NONE;
    }
    Map<String, Long> most = new HashMap<>();
    for (Container container : orEmpty(spec.getContainers())) {
      add(most, of(container), Long::sum);
    }
    for (Container container : orEmpty(spec.getInitContainers())) {
      add(most, of(container), Math::max);
    }
    return Amounts.of(most).plus(of(spec.getOverhead()));
  }

  private static void add(Map<String, Long> to, Amounts amounts, BinaryOperator<Long> how) {
    amounts
        .values()
        .forEach(
            (name, amount) -> {
              if (to.size() < MOST_NAMES || to.containsKey(name)) {
                to.merge(name, amount, how);
              }
            });
  }

  /** A request that is left out is that of the limit. */
  private static Amounts of(@Nullable Container container) {
    if (container == null || container.getResources() == null) {
      return Amounts.NONE;
    }
    Map<String, Long> amounts = new HashMap<>(of(container.getResources().getLimits()).values());
    // Zero that is requested explicitly is zero, whatever the limit.
    Objects.requireNonNullElse(container.getResources().getRequests(), Map.<String, Quantity>of())
        .entrySet()
        .stream()
        .limit(MOST_NAMES)
        .forEach(e -> amounts.put(Texts.cut(e.getKey()), amount(e.getKey(), e.getValue())));
    return Amounts.of(amounts);
  }

  /** A list of resources. */
  static Amounts of(@Nullable Map<String, Quantity> resources) {
    if (resources == null || resources.isEmpty()) {
      return Amounts.NONE;
    }
    Map<String, Long> amounts = new HashMap<>();
    resources.entrySet().stream()
        .limit(MOST_NAMES)
        .forEach(e -> amounts.put(Texts.cut(e.getKey()), amount(e.getKey(), e.getValue())));
    return Amounts.of(amounts);
  }

  /** Extended resources of a list that are there with an amount of 0. */
  static Set<String> zero(@Nullable Map<String, Quantity> resources) {
    return resources == null
        ? Set.of()
        : resources.entrySet().stream()
            .limit(MOST_NAMES)
            .filter(e -> e.getKey().indexOf('/') >= 0 && amount(e.getKey(), e.getValue()) == 0)
            .map(e -> Texts.cut(e.getKey()))
            .collect(Collectors.toUnmodifiableSet());
  }

  private static long amount(String name, @Nullable Quantity quantity) {
    return number(quantity)
        .map(number -> name.equals(Amounts.CPU) ? number.multiply(THOUSAND) : number)
        .map(AmountsReader::roundedUp)
        .orElse(0L);
  }

  /**
   * Rounded up as the API server does. To round {@code 1e-100000000} by dividing takes minutes and
   * all of the memory: a number below one is seen by its digits.
   */
  private static long roundedUp(BigDecimal number) {
    BigDecimal within = number.min(BigDecimal.valueOf(MOST)).max(BigDecimal.ZERO);
    boolean belowOne = (long) within.precision() - within.scale() <= 0;
    return belowOne ? within.signum() : within.setScale(0, RoundingMode.CEILING).longValue();
  }

  /**
   * The number that a quantity stands for; empty where it is none, or longer than any that is
   * meant. In the template of a job it may be whatever looks like one: no API server has read it.
   */
  static Optional<BigDecimal> number(@Nullable Quantity quantity) {
    if (quantity == null || length(quantity.getAmount()) + length(quantity.getFormat()) > LONGEST) {
      return Optional.empty();
    }
    try {
      return Optional.of(quantity.getNumericalAmount());
    } catch (ArithmeticException | IllegalArgumentException notAQuantity) {
      return Optional.empty();
    }
  }

  private static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }

  private static List<Container> orEmpty(@Nullable List<Container> containers) {
    return Objects.requireNonNullElse(containers, List.of());
  }
}
