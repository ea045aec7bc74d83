package dev.rekindle.detect.pod;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptInModeTest {
  private static final Map<String, String> KCOVER = Map.of(OptInMode.KCOVER_LABEL, "true");

  @ParameterizedTest
  @CsvSource(
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "true,AUTO,true,true",
        "approve,APPROVE,true,true",
        "observe,OBSERVE,true,false",
        "false,NONE,false,false",
        "true ,UNUSABLE,false,false",
        "True,UNUSABLE,false,false",
        "'',UNUSABLE,false,false",
        "yes please,UNUSABLE,false,false",
      })
  void shouldTakeTheAnnotationByTheLetterWhateverTheLabelSays(
      String value, OptInMode consent, boolean given, boolean lets) {
    OptInMode read = OptInMode.of(KCOVER, Map.of(OptInMode.ANNOTATION, value));

    assertThat(read).isEqualTo(consent);
    assertThat(read.isGiven()).isEqualTo(given);
    assertThat(read.lets()).isEqualTo(lets);
  }

  @Test
  void shouldTakeTheLabelOfKCoverWhereTheAnnotationIsAbsent() {
    assertThat(OptInMode.of(KCOVER, Map.of())).isEqualTo(OptInMode.AUTO);
    assertThat(OptInMode.of(Map.of(OptInMode.KCOVER_LABEL, "yes"), Map.of()))
        .isEqualTo(OptInMode.NONE);
    assertThat(OptInMode.of(Map.of(), Map.of())).isEqualTo(OptInMode.NONE);
  }
}
