package dev.rekindle.detect.weigh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.DetectionPolicy;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThresholdsTest {
  private static Thresholds of(String yaml) {
    return Thresholds.of(Serialization.unmarshal(yaml, DetectionPolicy.class));
  }

  private static Map<String, String> fields(Thresholds thresholds)
      throws ReflectiveOperationException {
    var fields = new LinkedHashMap<String, String>();
    for (var field : Thresholds.class.getRecordComponents()) {
      fields.put(field.getName(), String.valueOf(field.getAccessor().invoke(thresholds)));
    }
    return fields;
  }

  @Test
  void shouldTakeTheDefaultsWhereAPolicySetsNothing() {
    assertThat(of("{}")).isEqualTo(Thresholds.DEFAULT);
    assertThat(of("weighing: {}")).isEqualTo(Thresholds.DEFAULT);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "weighing: {owners: 7}                  | owners           | 7",
        "weighing: {incidents: 7}               | incidents        | 7",
        "weighing: {linkIncidents: 7}           | linkIncidents    | 7",
        "weighing: {linkEccIncidents: 7}        | linkEccIncidents | 7",
        "weighing: {firmwareIncidents: 7}       | firmwareIncidents | 7",
        "weighing: {stormLinks: 7}              | stormLinks       | 7",
        "weighing: {windowSeconds: 90000}       | window           | PT25H",
        "incidentGapSeconds: 7                  | silence          | PT7S",
        "weighing: {stickySeconds: 0}           | sticky           | PT0S",
        "weighing: {reboots: 7}                 | reboots          | 7",
        "weighing: {rebootWindowSeconds: 86400} | rebootWindow     | PT24H"
      })
  void shouldChangeExactlyTheThresholdThatAPolicySets(String spec, String field, String value)
      throws ReflectiveOperationException {
    var expected = fields(Thresholds.DEFAULT);
    expected.put(field, value);

    assertThat(fields(of(spec))).isEqualTo(expected);
  }
}
