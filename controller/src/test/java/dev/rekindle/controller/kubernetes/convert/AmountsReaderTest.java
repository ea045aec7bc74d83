package dev.rekindle.controller.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.Amounts;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AmountsReaderTest {
  private static long memory(String quantity) {
    return AmountsReader.of(Map.of("memory", Quantity.parse(quantity)))
        .values()
        .getOrDefault("memory", 0L);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1, 1",
    "1.5, 2",
    "64Ki, 65536",
    "1e3, 1000",
    "100m, 1",
    "1n, 1",
    "-5, 0",
    "0.0, 0",
    "0e-5, 0",
    "1E, 1125899906842624",
    "1e999999999, 1125899906842624"
  })
  void shouldRoundUpAsTheApiServerDoes(String quantity, long amount) {
    assertThat(memory(quantity)).isEqualTo(amount);
  }

  @Test
  void shouldCountProcessorsInThousandths() {
    assertThat(AmountsReader.of(Map.of(Amounts.CPU, Quantity.parse("100m"))).values())
        .containsEntry(Amounts.CPU, 100L);
  }

  /** The template of a job may have any; to divide by such a power of ten ends with no memory. */
  @ParameterizedTest
  @ValueSource(strings = {"1e-999999999", "1e-400000000", "123456789e-100000000"})
  void shouldReadANumberOfManyDigitsWithoutWritingThemOut(String quantity) {
    assertThat(memory(quantity)).isEqualTo(1);
    assertThat(AmountsReader.of(Map.of(Amounts.CPU, Quantity.parse(quantity))).values())
        .containsEntry(Amounts.CPU, 1L);
    assertThat(Gpus.among(Map.of("nvidia.com/gpu", Quantity.parse(quantity)))).isZero();
  }

  @Test
  void shouldCountATextOfManyDigitsAsNoQuantity() {
    String digits = "1." + "0".repeat(100_000) + "1";

    assertThat(memory(digits)).isZero();
    assertThat(Gpus.among(Map.of("nvidia.com/gpu", Quantity.parse(digits)))).isZero();
  }
}
