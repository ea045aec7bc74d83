package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a GPU costs, for {@code rekindle report}. Nothing is decided by it. Prices of the policy
 * {@code default} hold for all jobs.
 *
 * @param currency three letters of ISO 4217, printed beside amounts
 * @param pricePerGpuHour price of a GPU-hour for models without a price of their own; absent if not
 *     known
 * @param models prices by model
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record CostPolicy(
    @Nullable @Default(CostPolicy.CURRENCY) @Pattern("^[A-Z]{3}$") String currency,
    @Nullable @Min(0) @Max(CostPolicy.MOST) Double pricePerGpuHour,
    @Nullable @Size(max = CostPolicy.MODELS) List<ModelPrice> models) {
  /** The default of {@code currency}. */
  public static final String CURRENCY = "USD";

  /** The highest price of an hour. */
  public static final int MOST = 100_000;

  /** The longest list of models. */
  public static final int MODELS = 64;

  /** One that sets nothing. */
  public static final CostPolicy NONE = new CostPolicy(null, null, null);

  /**
   * The price of one model.
   *
   * @param product value of the node label {@code nvidia.com/gpu.product}
   * @param pricePerGpuHour price of a GPU-hour of this model
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record ModelPrice(
      @Required @Size(min = 1, max = 63) String product,
      @Required @Min(0) @Max(CostPolicy.MOST) Double pricePerGpuHour) {
    public ModelPrice {
      product = Bounds.text(product, 63);
      pricePerGpuHour = pricePerGpuHour == null ? Double.NaN : pricePerGpuHour;
    }
  }
}
