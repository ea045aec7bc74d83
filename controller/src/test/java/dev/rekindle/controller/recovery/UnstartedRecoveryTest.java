package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.diagnosis.Verdict;
import dev.rekindle.controller.model.Reason;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a recovery that was only created says when the job is judged again. */
class UnstartedRecoveryTest {
  private static final Cause CAUSE =
      new Cause("XID-79", "a GPU fell", List.of(), List.of(), List.of(), List.of(), null);

  static Stream<Arguments> verdicts() {
    return Stream.of(
        argumentSet("healthy", new Verdict.NoAction("healthy"), "None", "healthy"),
        argumentSet(
            "came back",
            new Verdict.SelfRecovered(CAUSE, T0, 7, T0),
            "None",
            "came back by itself"),
        argumentSet("no such job", null, "None", "no such job"),
        argumentSet(
            "the kubelet is at it",
            new Verdict.Watch("containers ended", T0),
            "Watched",
            "containers ended"),
        argumentSet(
            "its budget is spent",
            new Verdict.Refuse(Reason.BUDGET_EXHAUSTED, "3 restarts"),
            "Refused",
            "3 restarts"));
  }

  @ParameterizedTest
  @MethodSource("verdicts")
  void shouldSayThatTheSignalIsGoneOnlyWhereItIs(
      @Nullable Verdict verdict, String reason, String why) {
    Cause cause = UnstartedRecovery.cause(Optional.ofNullable(verdict));

    assertThat(cause.reason()).isEqualTo(reason);
    assertThat(cause.message()).contains(why);
    assertThat(cause.message().contains("signal is gone")).isEqualTo(reason.equals("None"));
  }
}
