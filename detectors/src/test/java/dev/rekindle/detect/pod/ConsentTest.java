package dev.rekindle.detect.pod;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConsentTest {
  private static final Map<String, String> KCOVER = Map.of(Consent.KCOVER_LABEL, "true");

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
      String value, Consent consent, boolean given, boolean lets) {
    Consent read = Consent.of(KCOVER, Map.of(Consent.ANNOTATION, value));

    assertThat(read).isEqualTo(consent);
    assertThat(read.isGiven()).isEqualTo(given);
    assertThat(read.lets()).isEqualTo(lets);
  }

  @Test
  void shouldTakeTheLabelOfKCoverWhereTheAnnotationIsAbsent() {
    assertThat(Consent.of(KCOVER, Map.of())).isEqualTo(Consent.AUTO);
    assertThat(Consent.of(Map.of(Consent.KCOVER_LABEL, "yes"), Map.of())).isEqualTo(Consent.NONE);
    assertThat(Consent.of(Map.of(), Map.of())).isEqualTo(Consent.NONE);
  }
}
