package dev.rekindle.controller.shadow;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.Given.ranks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.Scorecard.Entry;
import dev.rekindle.api.ShadowAction;
import dev.rekindle.api.ShadowVerdict;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.shadow.Scores.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class OutcomeEvaluatorTest {
  private static final Duration BURST = Duration.ofMinutes(3);
  private static final Instant AT = T0.plusSeconds(10);
  private static final Instant SOON = AT.plusSeconds(60);
  private static final Instant LATER = AT.plus(OutcomeEvaluator.WINDOW);
  private static final NodeView WELL = node("node-0");
  private static final FaultView FAULT = fault("node-0", "XID-79", FenceGuidance.ALWAYS);
  private static final List<PodView> PODS = gang("a");

  static Stream<Arguments> fences() {
    NodeView theirs = node("node-0", Readiness.READY, T0, true, "");
    NodeView ours = node("node-0", Readiness.READY, T0, true, "team/r1");
    NodeView silent = node("node-0", Readiness.SILENT, SOON, false, "");
    NodeView longSilent = node("node-0", Readiness.SILENT, T0, false, "");
    PodView died = Given.failed(PODS.getFirst(), SOON, "signal 9");
    PodView diedBefore = Given.failed(PODS.getFirst(), T0, "signal 9");
    return Stream.of(
        argumentSet("nothing yet", WELL, List.of(FAULT), PODS, SOON, null),
        argumentSet("nothing for an hour", WELL, List.of(FAULT), PODS, LATER, ShadowVerdict.WRONG),
        argumentSet("the node is gone", null, List.of(), List.of(), SOON, ShadowVerdict.RIGHT),
        argumentSet(
            "a person cordoned it", theirs, List.of(FAULT), PODS, SOON, ShadowVerdict.RIGHT),
        argumentSet("we did after all", ours, List.of(FAULT), PODS, SOON, ShadowVerdict.UNKNOWN),
        argumentSet("it fell silent", silent, List.of(FAULT), PODS, SOON, ShadowVerdict.RIGHT),
        argumentSet("it was silent before", longSilent, List.of(FAULT), PODS, SOON, null),
        argumentSet(
            "seen again",
            WELL,
            List.of(seen(AT.plus(BURST).plusSeconds(1))),
            PODS,
            SOON,
            ShadowVerdict.RIGHT),
        argumentSet("the same burst", WELL, List.of(seen(AT.plus(BURST))), PODS, SOON, null),
        argumentSet("a pod died", WELL, List.of(FAULT), List.of(died), SOON, ShadowVerdict.RIGHT),
        argumentSet("it had died before", WELL, List.of(FAULT), List.of(diedBefore), SOON, null),
        argumentSet(
            "the driver cleared it", WELL, List.of(cleared()), PODS, SOON, ShadowVerdict.WRONG));
  }

  @ParameterizedTest
  @MethodSource("fences")
  void shouldReportWhetherAFenceWouldHaveBeenRight(
      @Nullable NodeView node,
      List<FaultView> faults,
      List<PodView> pods,
      Instant now,
      @Nullable ShadowVerdict verdict) {
    Entry entry =
        new Entry(ShadowAction.FENCE, "node-0", FAULT.name(), "", AT, ShadowVerdict.OPEN, "", null);

    assertThat(
            OutcomeEvaluator.ofFence(entry, node, faults, pods, BURST, now)
                .map(Outcome::verdict)
                .orElse(null))
        .isEqualTo(verdict);
  }

  static Stream<Arguments> restarts() {
    JobView runs = job().view();
    List<RankView> stands = ranks(PODS, 42L, T0, SOON);
    List<RankView> steps = ranks(PODS, 43L, SOON, SOON);
    return Stream.of(
        argumentSet("nothing yet", runs, stands, SOON, null),
        argumentSet(
            "no step for an hour", runs, ranks(PODS, 42L, T0, LATER), LATER, ShadowVerdict.RIGHT),
        argumentSet("agents silent since", runs, stands, LATER, ShadowVerdict.UNKNOWN),
        argumentSet("no report for an hour", runs, List.of(), LATER, ShadowVerdict.UNKNOWN),
        argumentSet("it trains on", runs, steps, SOON, ShadowVerdict.WRONG),
        argumentSet("it failed", job().failed(SOON, "x").view(), stands, SOON, ShadowVerdict.RIGHT),
        argumentSet(
            "it succeeded", job().succeeded(SOON).view(), stands, SOON, ShadowVerdict.WRONG),
        argumentSet(
            "its user stopped it",
            job().suspended("", true).view(),
            stands,
            SOON,
            ShadowVerdict.RIGHT),
        argumentSet("it was deleted", null, List.of(), SOON, ShadowVerdict.RIGHT));
  }

  @ParameterizedTest
  @MethodSource("restarts")
  void shouldReportWhetherARestartWouldHaveBeenRight(
      @Nullable JobView job, List<RankView> ranks, Instant now, @Nullable ShadowVerdict verdict) {
    Entry entry =
        new Entry(
            ShadowAction.RESTART, "team/demo", "job-uid", "", AT, ShadowVerdict.OPEN, "", null);

    assertThat(
            OutcomeEvaluator.ofRestart(entry, job, ranks, now).map(Outcome::verdict).orElse(null))
        .isEqualTo(verdict);
  }

  private static FaultView seen(Instant at) {
    return of(true, at);
  }

  private static FaultView cleared() {
    return of(false, T0);
  }

  private static FaultView of(boolean active, Instant seen) {
    return FAULT.with(
        b -> b.active(active).count(2).lastSeen(seen).clearedBy(active ? "" : "driver"));
  }
}
