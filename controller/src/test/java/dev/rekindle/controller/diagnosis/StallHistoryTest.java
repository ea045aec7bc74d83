package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.Given.ranks;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.StallFinding;
import dev.rekindle.api.StallFinding.NamedRank;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A job that stalls again and again without a named rank is left to a person. */
class StallHistoryTest {
  private static final Instant NOW = Instant.parse("2026-01-02T00:00:00Z");
  private static final StallFinding UNKNOWN =
      new StallFinding("unknown", "low", List.of(), List.of(), 3);
  private static final StallFinding NAMED =
      new StallFinding("host", "high", List.of(new NamedRank(1, "", "", "")), List.of(), 3);

  private static RecoveryView recovery(
      String reason, @Nullable StallFinding stall, long secondsAgo) {
    Instant at = NOW.minusSeconds(secondsAgo);
    Cause cause =
        new Cause(reason, "", List.of(), List.of(), List.of(), List.of(), 1L).withStall(stall);
    return Given.recovery(
        "r" + secondsAgo,
        at,
        new RecoveryStatus(
            RecoveryPhase.RECOVERED,
            at,
            1,
            null,
            cause,
            null,
            null,
            List.of(new TimelineEntry(RecoveryPhase.DRAINING, at, "")),
            List.of()));
  }

  static Stream<Arguments> histories() {
    RecoveryView unknown = recovery("Stalled", UNKNOWN, 600);
    RecoveryView none = recovery("Stalled", null, 700);
    return Stream.of(
        Arguments.argumentSet("one before", List.of(unknown), false),
        Arguments.argumentSet("two before", List.of(unknown, none), true),
        Arguments.argumentSet(
            "one of two named", List.of(unknown, recovery("Stalled", NAMED, 700)), false),
        Arguments.argumentSet(
            "named between", List.of(unknown, recovery("Stalled", NAMED, 650), none), true),
        Arguments.argumentSet(
            "one for something else", List.of(unknown, recovery("XID-79", null, 700)), false),
        Arguments.argumentSet(
            "one out of the window", List.of(unknown, recovery("Stalled", null, 3_601)), false));
  }

  @ParameterizedTest
  @MethodSource("histories")
  void shouldStopAtTheThirdUnexplainedStall(List<RecoveryView> before, boolean stops) {
    var pods = gang("a");
    var stands = ranks(pods, 42L, NOW.minusSeconds(3_000), NOW);
    Verdict verdict =
        JobVerdicts.decide(
            new JobSnapshot(job().view(), pods, nodes(), List.of(), stands, before),
            Policy.DEFAULT,
            NOW);
    if (stops) {
      assertThat(verdict)
          .isInstanceOfSatisfying(
              Verdict.Refuse.class,
              refused -> {
                assertThat(refused.reason()).isEqualTo(Reason.STALLS_UNEXPLAINED);
                assertThat(refused.message()).contains("2 stalls within");
              });
    } else {
      assertThat(verdict).isInstanceOf(Verdict.Recover.class);
    }
  }
}
