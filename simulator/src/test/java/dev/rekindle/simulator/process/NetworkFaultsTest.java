package dev.rekindle.simulator.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.simulator.process.NetworkFaults.Fate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkFaultsTest {
  private static final NetworkFaults ROUGH =
      new NetworkFaults(0.125, 0.25, 0.0625, 0.0625, 0.25, 0.125);

  @ParameterizedTest
  @CsvSource({
    "0, LOST",
    "0.1249, LOST",
    "0.125, UNHEARD",
    "0.3749, UNHEARD",
    "0.375, LATE",
    "0.4374, LATE",
    "0.4375, DOUBLED",
    "0.4999, DOUBLED",
    "0.5, SLOW",
    "0.7499, SLOW",
    "0.75, REFUSED",
    "0.8749, REFUSED",
    "0.875, ANSWERED",
    "0.9999, ANSWERED",
  })
  void shouldGiveEachFateItsShareOfAllCalls(double chance, Fate fate) {
    assertThat(ROUGH.fate(chance)).isEqualTo(fate);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.5, 0.9999})
  void shouldAnswerEveryCallInTheCalm(double chance) {
    assertThat(NetworkFaults.CALM.fate(chance)).isEqualTo(Fate.ANSWERED);
  }
}
