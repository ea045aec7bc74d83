package dev.rekindle.page;

import dev.rekindle.detect.policy.GpuPrices;
import dev.rekindle.detect.policy.RecoveryLoss;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * What lost time of GPUs costs.
 *
 * @param prices those of the policy {@code default}
 * @param products the GPU model of each node that is known
 */
public record Pricing(GpuPrices prices, Map<String, String> products) {
  /** Without a price, so that nothing is said of money. */
  public static final Pricing NONE = new Pricing(GpuPrices.NONE, Map.of());

  private static final double HOUR = 3600;

  public Pricing {
    products = Map.copyOf(products);
  }

  /** Whether there is any price. */
  public boolean any() {
    return prices.any();
  }

  /** Three letters. */
  public String currency() {
    return prices.currency();
  }

  /** What a recovery has cost; empty where its loss, or the price of a GPU of it, is not known. */
  OptionalDouble of(RecoveryLoss loss) {
    return loss.gpuSeconds() == null ? OptionalDouble.empty() : of(loss.gpuSeconds(), loss.gang());
  }

  /** What so much time of that gang's GPUs costs; empty where one has no price. */
  OptionalDouble of(double gpuSeconds, List<String> gang) {
    OptionalDouble hour = prices.ofGang(gang, products);
    return hour.isEmpty()
        ? OptionalDouble.empty()
        : OptionalDouble.of(gpuSeconds / HOUR * hour.getAsDouble());
  }
}
