package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.FREE;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.OURS;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.POLICY;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.booted;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.decide;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.xid79;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.diagnosis.NodeSnapshots.Fault;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a reboot cures, and what it does not. */
class RebootedNodesTest {
  @Test
  void shouldReleaseAfterARebootOnceTheNodeHasSettled() {
    FaultView fault = xid79().build();
    NodeView back = booted(OURS, "boot-2", Readiness.READY, NOW);

    assertThat(decide(back, List.of(fault), NOW.plus(POLICY.rebootSettle()).minusSeconds(1)))
        .isEqualTo(new NodeVerdict.NoAction("fenced", NOW.plus(POLICY.rebootSettle())));
    assertThat(decide(back, List.of(fault), NOW.plus(POLICY.rebootSettle())))
        .isInstanceOfSatisfying(
            NodeVerdict.Release.class, r -> assertThat(r.why()).contains("reboot"));
  }

  static Stream<Arguments> notProven() {
    return Stream.of(
        argumentSet("the same boot", booted(OURS, "boot-1", Readiness.READY, NOW), xid79()),
        argumentSet("not Ready", booted(OURS, "boot-2", Readiness.NOT_READY, NOW), xid79()),
        argumentSet("silent", booted(OURS, "boot-2", Readiness.SILENT, NOW), xid79()),
        argumentSet(
            "the status of the node is older than the fault",
            booted(OURS, "boot-0", Readiness.READY, T0.minusSeconds(60)),
            xid79()),
        argumentSet("the node reports no boot", booted(OURS, "", Readiness.READY, NOW), xid79()),
        argumentSet(
            "to be replaced",
            booted(OURS, "boot-2", Readiness.READY, NOW),
            xid79().action("drain_and_rma")));
  }

  @ParameterizedTest
  @MethodSource("notProven")
  void shouldNotTakeSilenceOrHalfARebootForACure(NodeView n, Fault fault) {
    assertThat(decide(n, List.of(fault.build()), NOW.plus(Duration.ofDays(100))))
        .isInstanceOf(NodeVerdict.NoAction.class);
  }

  @Test
  void shouldTakeAnotherBootForARebootThoughTheNodeNeverSaidNotReady() {
    FaultView fault = xid79().build();
    Instant seen = Objects.requireNonNull(fault.lastSeen());
    Instant reported = seen.plusSeconds(40);
    NodeView back = booted(OURS, "boot-2", Readiness.READY, T0, reported);
    Instant settled = reported.plus(POLICY.rebootSettle());

    assertThat(decide(back, List.of(fault), settled.minusSeconds(1)))
        .isEqualTo(new NodeVerdict.NoAction("fenced", settled));
    assertThat(decide(back, List.of(fault), settled)).isInstanceOf(NodeVerdict.Release.class);
    NodeView lags = booted(OURS, "boot-0", Readiness.READY, T0, seen.minusSeconds(1));
    assertThat(decide(lags, List.of(fault), settled.plus(Duration.ofDays(1))))
        .as("reported before the fault was seen: the boot before")
        .isInstanceOf(NodeVerdict.NoAction.class);
    NodeView later = booted(OURS, "boot-2", Readiness.READY, reported.plusSeconds(60), reported);
    assertThat(decide(later, List.of(fault), settled))
        .as("Ready a minute after its boot")
        .isEqualTo(new NodeVerdict.NoAction("fenced", settled.plusSeconds(60)));
    NodeView kubeletBefore = booted(OURS, "boot-2", Readiness.READY, seen.plusSeconds(1), reported);
    assertThat(
            decide(kubeletBefore, List.of(fault), seen.plusSeconds(1).plus(POLICY.rebootSettle())))
        .as("Ready changed in the old boot, and the new one is young")
        .isInstanceOf(NodeVerdict.NoAction.class);
  }

  @Test
  void shouldNotBelieveAThirdReboot() {
    Fault fault = xid79().inBoot("boot-1").inBoot("boot-2").inBoot("boot-3");
    NodeView back = booted(OURS, "boot-4", Readiness.READY, NOW);

    assertThat(decide(back, List.of(fault.build()), NOW.plus(Duration.ofDays(1))))
        .isInstanceOf(NodeVerdict.NoAction.class);
    assertThat(decide(back, List.of(fault.clearedBy("reboot").build()), NOW))
        .isInstanceOfSatisfying(
            NodeVerdict.KeepFenced.class, k -> assertThat(k.why()).contains("part replaced"));
    assertThat(decide(back, List.of(fault.clearedBy("probe").build()), NOW))
        .isInstanceOf(NodeVerdict.Release.class);
  }

  @Test
  void shouldNotFenceForAFaultOfAnEarlierBoot() {
    NodeView back = booted(FREE, "boot-2", Readiness.SILENT, NOW);

    assertThat(decide(back, List.of(xid79().build()), NOW))
        .isInstanceOf(NodeVerdict.NoAction.class);
  }
}
