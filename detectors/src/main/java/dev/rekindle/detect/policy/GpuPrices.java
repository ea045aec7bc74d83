package dev.rekindle.detect.policy;

import static java.util.Objects.requireNonNullElse;

import dev.rekindle.api.CostPolicy;
import dev.rekindle.api.CostPolicy.ModelPrice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What an hour of a GPU costs.
 *
 * @param otherwise where a model has no price of its own; absent where that is not known
 * @param models prices by product, as node labels have it
 */
public record GpuPrices(String currency, @Nullable Double otherwise, Map<String, Double> models) {
  /** No prices at all. */
  public static final GpuPrices NONE = new GpuPrices(CostPolicy.CURRENCY, null, Map.of());

  public GpuPrices {
    models = Map.copyOf(models);
  }

  /** Those of a policy that was accepted; of two of one model the first. */
  public static GpuPrices of(@Nullable CostPolicy cost) {
    return cost == null
        ? NONE
        : new GpuPrices(
            requireNonNullElse(cost.currency(), CostPolicy.CURRENCY),
            cost.pricePerGpuHour(),
            requireNonNullElse(cost.models(), List.<ModelPrice>of()).stream()
                .collect(
                    Collectors.toMap(
                        ModelPrice::product, ModelPrice::pricePerGpuHour, (first, _) -> first)));
  }

  /** Whether there is any. */
  public boolean any() {
    return otherwise != null || !models.isEmpty();
  }

  /**
   * Of a gang: the average over its nodes whose model is known, else the price of all others.
   *
   * @param products the model of each node that is known
   * @return empty where one of them has no price
   */
  public OptionalDouble ofGang(List<String> nodes, Map<String, String> products) {
    List<@Nullable Double> known = new ArrayList<>();
    nodes.stream()
        .filter(products::containsKey)
        .forEach(node -> known.add(ofModel(products.getOrDefault(node, ""))));
    if (known.isEmpty()) {
      known.add(otherwise);
    }
    double sum = 0;
    for (Double price : known) {
      if (price == null) {
        return OptionalDouble.empty();
      }
      sum += price;
    }
    return OptionalDouble.of(sum / known.size());
  }

  private @Nullable Double ofModel(String product) {
    Double price = models.get(product);
    return price == null ? otherwise : price;
  }
}
