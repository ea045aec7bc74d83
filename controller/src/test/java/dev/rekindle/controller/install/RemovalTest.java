package dev.rekindle.controller.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.cli.ListedRecovery;
import dev.rekindle.controller.install.Removal.Fenced;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RemovalTest {
  private static final Instant NOW = Instant.parse("2026-11-21T06:00:00Z");

  private static ListedRecovery recovery(String name, RecoveryPhase phase) {
    return new ListedRecovery(
        "team",
        name,
        NOW,
        new RecoverySpec(JobRef.pyTorchJob("llm", "uid"), NOW, null),
        new RecoveryStatus(phase, NOW, 1, null, null, null, null, List.of(), List.of()));
  }

  @ParameterizedTest
  @EnumSource(RecoveryPhase.class)
  void shouldBeRefusedInEachPhaseThatIsNotTheLast(RecoveryPhase phase) {
    var removal = new Removal(List.of(recovery("llm-r1", phase)), List.of());

    assertThat(removal.refused()).isEqualTo(!phase.isTerminal());
    if (removal.refused()) {
      assertThat(removal.lines())
          .contains("  recovery team/llm-r1 of job llm: " + phase.word())
          .anyMatch(line -> line.contains("--no-hooks"));
    }
  }

  @Test
  void shouldBeRefusedForARecoveryThatHasNoStatusYet() {
    var fresh =
        new ListedRecovery(
            "team",
            "llm-r1",
            NOW,
            new RecoverySpec(JobRef.pyTorchJob("llm", "u"), NOW, null),
            null);

    assertThat(new Removal(List.of(fresh), List.of()).refused()).isTrue();
  }

  @Test
  void shouldListFencedNodesAndContinue() {
    var removal =
        new Removal(List.of(), List.of(new Fenced("n2", "XID-79"), new Fenced("n1", "a\nb")));

    assertThat(removal.refused()).isFalse();
    assertThat(removal.lines()).startsWith("2 nodes stay cordoned:", "  n1: a?b", "  n2: XID-79");
    assertThat(new Removal(List.of(), List.of()).lines()).containsExactly("No node is fenced.");
  }

  @Test
  void shouldPrintNoMoreThanFiftyOfEach() {
    var removal =
        new Removal(
            IntStream.range(0, 60)
                .mapToObj(i -> recovery("r" + i, RecoveryPhase.DRAINING))
                .toList(),
            IntStream.range(0, 60).mapToObj(i -> new Fenced("n" + i, "")).toList());

    assertThat(removal.lines()).hasSize(1 + 50 + 1 + 4 + 1 + 50 + 1 + 1);
    assertThat(removal.lines().getFirst()).contains("60 recoveries are open");
  }
}
