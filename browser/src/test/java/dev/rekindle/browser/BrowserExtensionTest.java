package dev.rekindle.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BrowserExtensionTest {
  @ParameterizedTest
  @CsvSource({
    "true, '', false",
    "true, required, false",
    "false, '', true",
    "false, required, false",
  })
  void shouldSkipOnlyWhereNoBrowserIsAndNoneIsRequired(
      boolean present, String word, boolean skipped) {
    ConditionEvaluationResult result =
        BrowserExtension.decide(present, Map.of("REKINDLE_BROWSER", word));
    assertThat(result.isDisabled()).isEqualTo(skipped);
    if (skipped) {
      assertThat(result.getReason()).hasValueSatisfying(r -> assertThat(r).contains("apt-get"));
    }
  }
}
