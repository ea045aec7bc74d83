package dev.rekindle.controller.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.Policies;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A policy and its bound. */
class PolicyBoundTest {

  static Stream<Arguments> pairs() {
    return Stream.of(
        argumentSet("a laxer mode", "mode: auto", "mode: observe", "mode: observe"),
        argumentSet("a stricter mode", "mode: approve", "mode: auto", "mode: approve"),
        argumentSet(
            "more restarts in less time",
            "budget: {maxRestarts: 100, windowSeconds: 60}",
            "budget: {maxRestarts: 4, windowSeconds: 3600}",
            "budget: {maxRestarts: 4, windowSeconds: 3600}"),
        argumentSet(
            "fewer fences",
            "fencing: {maxNodes: 1}",
            "fencing: {maxNodes: 9}",
            "fencing: {maxNodes: 1}"),
        argumentSet(
            "more fences",
            "fencing: {maxNodes: 900}",
            "fencing: {maxNodes: 2}",
            "fencing: {maxNodes: 2}"),
        argumentSet("no share", "{}", "fencing: {maxPercent: 5}", "fencing: {maxPercent: 5}"),
        argumentSet(
            "a share of its own", "fencing: {maxPercent: 5}", "{}", "fencing: {maxPercent: 5}"),
        argumentSet(
            "thresholds",
            "detection: {weighing: {owners: 9}}",
            "detection: {incidentGapSeconds: 7}",
            "detection: {incidentGapSeconds: 7}"),
        argumentSet("every GPU node", "fencing: {scope: gpuNodes}", "{}", "{}"),
        argumentSet("paused", "paused: true", "{}", "paused: true"),
        argumentSet("all are paused", "{}", "paused: true", "paused: true"),
        argumentSet(
            "its own windows",
            "maintenance: {windows: [{start: '01:00', durationMinutes: 60}]}",
            "maintenance: {windows: [{start: '02:00', durationMinutes: 60}]}",
            "maintenance: {windows: [{start: '01:00', durationMinutes: 60}]}"),
        argumentSet(
            "its own times",
            "detection: {stallSeconds: 77}",
            "detection: {stallSeconds: 900}",
            "detection: {stallSeconds: 77}"),
        argumentSet(
            "its own way",
            "restart: {strategy: rebuild}",
            "restart: {strategy: inPlace}",
            "restart: {strategy: rebuild}"));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void shouldHoldAPolicyToItsBound(String named, String bound, String effective) {
    assertThat(EffectivePolicy.within(Policies.ofYaml(named), Policies.ofYaml(bound)))
        .isEqualTo(Policies.ofYaml(effective));
  }
}
