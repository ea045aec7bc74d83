package dev.rekindle.controller.nodehealth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeConditionRule;
import dev.rekindle.controller.nodehealth.ConditionRules.Match;
import dev.rekindle.controller.nodehealth.ConditionRules.Verdict;
import dev.rekindle.detect.node.ConditionReading;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConditionRulesTest {
  private static Optional<Match> judge(
      List<NodeConditionRule> rules, String type, String status, String reason) {
    return ConditionRules.of(rules).judge(new ConditionReading(type, status, reason, "", null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        // EKS: False is bad, and a warning is none of ours.
        "AcceleratedHardwareReady | False | NvidiaXID79Error | FENCE |"
            + " COND-ACCELERATEDHARDWAREREADY-NVIDIAXID79ERROR",
        "AcceleratedHardwareReady | False | NvidiaDoubleBitError | FENCE |"
            + " COND-ACCELERATEDHARDWAREREADY-NVIDIADOUBLEBITERROR",
        "AcceleratedHardwareReady | False | SomethingNew | FENCE | COND-ACCELERATEDHARDWAREREADY",
        "AcceleratedHardwareReady | False | NvidiaXID13Warning | IGNORE |"
            + " COND-ACCELERATEDHARDWAREREADY-NVIDIAXID13WARNING",
        "AcceleratedHardwareReady | False | DCGMHealthCode12 | WATCH |"
            + " COND-ACCELERATEDHARDWAREREADY-DCGMHEALTHCODE12",
        "AcceleratedHardwareReady | True | NvidiaAcceleratedHardwareIsReady | - | -",
        "AcceleratedHardwareReady | Unknown | x | - | -",
        "NetworkingReady | False | x | WATCH | COND-NETWORKINGREADY",
        // AKS and others: True is bad.
        "GPUMissing | True | GPUIsMissing | FENCE | COND-GPUMISSING",
        "GPUMissing | False | NoGPUIsMissing | - | -",
        "GPUMissing | Unknown | x | - | -",
        "XIDErrors | True | XIDErrors | WATCH | COND-XIDERRORS",
        "IBLinkFlapping | True | x | WATCH | COND-IBLINKFLAPPING",
        "GcmXidErrorsProblem | True | x | WATCH | COND-GCMXIDERRORSPROBLEM",
        "SysLogsGPUFallenOff | True | x | FENCE | COND-SYSLOGSGPUFALLENOFF",
        "SysLogsXIDError | True | x | WATCH | COND-SYSLOGSXIDERROR",
        "ReadonlyFilesystem | True | FilesystemIsReadOnly | FENCE | COND-READONLYFILESYSTEM",
        "ReadonlyFilesystem | False | FilesystemIsNotReadOnly | - | -",
        "KernelDeadlock | True | DockerHung | FENCE | COND-KERNELDEADLOCK",
        "XfsShutdown | True | XfsHasShutdown | FENCE | COND-XFSSHUTDOWN",
        "CperHardwareErrorFatal | True | CperHardwareErrorFatal | FENCE |"
            + " COND-CPERHARDWAREERRORFATAL",
        "FrequentKubeletRestart | True | x | - | -",
        // No one's business.
        "DiskPressure | True | KubeletHasDiskPressure | - | -",
        "example.com/Painted | True | Blue | - | -",
        "xiderrors | True | x | - | -"
      })
  void shouldJudgeByTheBuiltInRules(
      String type, String status, String reason, Verdict verdict, String code) {
    Optional<Match> match = judge(List.of(), type, status, reason);

    assertThat(match.map(Match::verdict)).isEqualTo(Optional.ofNullable(verdict));
    assertThat(match.map(Match::code)).isEqualTo(Optional.ofNullable(code));
  }

  @Test
  void shouldLetAPolicyReplaceAllBuiltInRulesOfAType() {
    List<NodeConditionRule> rules =
        List.of(
            new NodeConditionRule("GPUMissing", null, "ignore", null, null),
            new NodeConditionRule("XIDErrors", "True", "fence", 300, List.of("Xid79*")),
            new NodeConditionRule("example.com/Healthy", "False", "fence", null, null));

    assertThat(judge(rules, "GPUMissing", "True", "").map(Match::verdict)).contains(Verdict.IGNORE);
    assertThat(judge(rules, "XIDErrors", "True", "Xid79Seen"))
        .contains(new Match(Verdict.FENCE, "COND-XIDERRORS-XID79SEEN", Duration.ofMinutes(5)));
    assertThat(judge(rules, "XIDErrors", "True", "Xid13Seen")).isEmpty();
    assertThat(judge(rules, "example.com/Healthy", "False", ""))
        .contains(new Match(Verdict.FENCE, "COND-EXAMPLE-COM-HEALTHY", Duration.ofSeconds(10)));
    assertThat(judge(rules, "example.com/Healthy", "True", "")).isEmpty();
    assertThat(judge(rules, "NVLinkStatusInactive", "True", "").map(Match::verdict))
        .contains(Verdict.FENCE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "XIDErrors | XIDERRORS",
        "example.com/Gpu_Health | EXAMPLE-COM-GPU-HEALTH",
        "--odd--name-- | ODD-NAME",
        "мощность | NONE",
        "/ | NONE"
      })
  void shouldMakeWordsThatTheSchemaTakes(String text, String word) {
    assertThat(ConditionRules.word(text)).isEqualTo(word).matches("[A-Z0-9]+(-[A-Z0-9]+)*");
  }

  @Test
  void shouldCutLongWordsWithoutALooseEnd() {
    assertThat(ConditionRules.word("a".repeat(59) + "-" + "b".repeat(50)))
        .isEqualTo("A".repeat(59));
  }
}
