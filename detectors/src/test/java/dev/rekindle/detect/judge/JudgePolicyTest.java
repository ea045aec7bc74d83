package dev.rekindle.detect.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** rekindle judge --policy. */
class JudgePolicyTest extends JudgeFixture {

  /** Two bursts of contained errors of one program, an hour apart. */
  private static final String TWO_BURSTS =
      """
      [  100.000000] NVRM: Xid (PCI:0000:91:00): 94, pid=1, name=x, Contained: SM. RST: No, D-RST: No
      [ 3700.000000] NVRM: Xid (PCI:0000:91:00): 94, pid=1, name=x, Contained: SM. RST: No, D-RST: No
      """;

  private Path policy(String spec) throws IOException {
    var file = directory.resolve("policy.yaml");
    Files.writeString(
        file,
        """
        apiVersion: rekindle.dev/v1alpha1
        kind: RecoveryPolicy
        metadata: {name: default}
        spec: %s
        """
            .formatted(spec));
    return file;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | restart",
        "{detection: {weighing: {incidents: 2}}} | fence",
        "{detection: {weighing: {incidents: 3}}} | restart",
        "{detection: {weighing: {incidents: 2, windowSeconds: 3600, stickySeconds: 60}}} | fence",
        "{detection: {weighing: {incidents: 2}, incidentGapSeconds: 3600}} | restart",
      })
  void shouldWeighByTheThresholdsOfAPolicy(String spec, String verdict) throws IOException {
    assertThat(run(TWO_BURSTS, "-", "--json", "--policy", policy(spec).toString())).isZero();
    assertThat(objects().getLast().get("verdict").asText()).isEqualTo(verdict);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{detection: {weighing: {owners: 1}}} | spec.detection.weighing.owners is 1, not a number"
            + " from 2 to 12",
        "{detection: {weighing: {incidents: 0}}} | spec.detection.weighing.incidents is 0, not a"
            + " number from 2 to 12",
        "{detection: {weighing: {reboots: -1}}} | spec.detection.weighing.reboots is -1, not a"
            + " number from 1 to 10",
        "{detection: {weighing: {stormLinks: 99999999999}}} | stormLinks is 99999999999, not a"
            + " number from 2",
        "{detection: {weighing: {owners: two}}} | spec.detection.weighing.owners is \"two\", not a"
            + " number from 2 to 12",
        "{detection: {weighing: {window: 5}}} | spec.detection.weighing.window is unknown",
        "{wieghing: {owners: 3}} | spec.wieghing is unknown",
        "{detection: {incidentGapSeconds: 9999}} | spec.detection.incidentGapSeconds is 9999, not a"
            + " number from 0 to 3600",
        "{detection: {weighing: {windowSeconds: 7200}}} | stickySeconds exceeds windowSeconds",
        "[] | is not a RecoveryPolicy with a spec",
        "{mode: [} | is not YAML or JSON",
      })
  void shouldRefuseAPolicyThatTheApiServerWouldRefuse(String spec, String why) throws IOException {
    assertThat(run(TWO_BURSTS, "-", "--policy=" + policy(spec))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("policy.yaml", why);
    assertThat(out.size()).isZero();
  }
}
