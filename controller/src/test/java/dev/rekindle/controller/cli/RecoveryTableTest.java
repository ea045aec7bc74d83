package dev.rekindle.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.TimelineEntry;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecoveryTableTest {
  private static final Instant NOW = Instant.parse("2026-11-21T06:00:00Z");

  private static ListedRecovery recovery(
      String name, @Nullable Instant created, @Nullable RecoveryStatus status) {
    return new ListedRecovery(
        "team",
        name,
        created,
        new RecoverySpec(JobRef.pyTorchJob("llm", "uid"), NOW.minusSeconds(90), null),
        status);
  }

  private static RecoveryStatus recovered(String message) {
    return new RecoveryStatus(
        RecoveryPhase.RECOVERED,
        NOW,
        1,
        null,
        new Cause("XID-79", message, List.of(), List.of("n6"), List.of(), List.of(), 160L),
        new Plan(RestartWay.IN_PLACE, "agents can", List.of("n6", "n7"), List.of(), Map.of(), null),
        new Outcome(150L, 151L, 10L, 1_800.0, 11.04, Map.of()),
        List.of(
            new TimelineEntry(RecoveryPhase.DETECTED, NOW.minusSeconds(90), "GPU is gone"),
            new TimelineEntry(RecoveryPhase.RECOVERED, NOW.minusMillis(78_960), "steps again")),
        List.of());
  }

  @Test
  void shouldPrintTheNewestLast() {
    assertThat(
            new RecoveryTable(false, false)
                .of(
                    List.of(
                        recovery("llm-r2", NOW.minusSeconds(5), null),
                        recovery("llm-r1", NOW.minusSeconds(90), recovered("gone"))),
                    NOW))
        .isEqualTo(
            """
            NAME     JOB   PHASE       CAUSE    NODES    DOWNTIME   AGE
            llm-r1   llm   Recovered   XID-79   n6,n7    11.0s      90s
            llm-r2   llm   <none>      <none>   <none>   <none>     5s
            """);
  }

  @Test
  void shouldShowMoreWhereThereIsRoom() {
    String text =
        new RecoveryTable(true, true).of(List.of(recovery("llm-r1", null, recovered("x"))), NOW);
    assertThat(text.lines().map(line -> List.of(line.split(" {3,}"))))
        .containsExactly(
            List.of(
                "NAMESPACE",
                "NAME",
                "JOB",
                "PHASE",
                "CAUSE",
                "NODES",
                "DOWNTIME",
                "AGE",
                "RESTART",
                "STEP",
                "GPU-HOURS",
                "MESSAGE"),
            List.of(
                "team",
                "llm-r1",
                "llm",
                "Recovered",
                "XID-79",
                "n6,n7",
                "11.0s",
                "<unknown>",
                RestartWay.IN_PLACE.word(),
                "150",
                "0.50",
                "x"));
  }

  @Test
  void shouldPrintNoControlCharacters() {
    var hostile = recovery("llm-r1", NOW, recovered("a\nb\u001b[2Jc\u202ed\u2028e"));
    assertThat(new RecoveryTable(false, true).of(List.of(hostile), NOW))
        .hasLineCount(2)
        .contains("a?b?[2Jc?d?e");
    assertThat(TimelineText.of(hostile)).contains("XID-79: a?b?[2Jc?d?e\n");
  }

  @ParameterizedTest
  @CsvSource({
    "-5,0s",
    "0,0s",
    "119,119s",
    "120,2m",
    "7199,119m",
    "7200,2h",
    "172799,47h",
    "172800,2d"
  })
  void shouldCountAgesInOneUnit(long seconds, String age) {
    assertThat(RecoveryTable.age(NOW.minusSeconds(seconds), NOW)).isEqualTo(age);
  }

  @Test
  void shouldPrintWhatARecoveryDid() {
    assertThat(TimelineText.of(recovery("llm-r1", NOW, recovered("gone"))))
        .startsWith("Recovery: team/llm-r1\nJob:      llm\nPhase:    Recovered\n")
        .contains("\nCause:    XID-79: gone\n", "\nDowntime: 11.0s\n")
        .endsWith(
            """

            TIME                   SINCE    PHASE       DETAIL
            2026-11-21T05:58:30Z   +0.0s    Detected    GPU is gone
            2026-11-21T05:58:41Z   +11.0s   Recovered   steps again
            """);
  }

  @Test
  void shouldPrintWhatTheGangIsOn() {
    RecoveryStatus onTcp =
        recovered("gone")
            .withConditions(
                List.of(
                    new ConditionBuilder()
                        .withType("RdmaRestored")
                        .withStatus("False")
                        .withReason("NcclSocketFallback")
                        .withMessage("NCCL of rank worker/0 sends over TCP")
                        .build()));
    assertThat(TimelineText.of(recovery("llm-r1", NOW, onTcp)))
        .contains("\nRDMA:     False, NcclSocketFallback: NCCL of rank worker/0 sends over TCP\n");
  }

  @Test
  void shouldSayThatNothingHasHappenedYet() {
    assertThat(TimelineText.of(recovery("llm-r1", NOW, null)))
        .contains("Phase:    not started\n")
        .endsWith("\nNothing has happened yet.\n");
  }
}
