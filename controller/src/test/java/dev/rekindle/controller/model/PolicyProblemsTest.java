package dev.rekindle.controller.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.Policies;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PolicyProblemsTest {
  static Stream<Arguments> unusable() {
    return Stream.of(
        argumentSet("mode", "{mode: never}", "mode is none of observe, approve, auto"),
        argumentSet(
            "scope", "{fencing: {scope: all}}", "fencing.scope is none of jobNodes, gpuNodes"),
        argumentSet("lemons", "{fencing: {lemons: keep}}", "fencing.lemons is none of tell, fence"),
        argumentSet(
            "strategy",
            "{restart: {strategy: inplace}}",
            "restart.strategy is none of auto, rebuild, inPlace"),
        argumentSet(
            "silent node",
            "{detection: {stallSeconds: 20}}",
            "detection.silentNodeSeconds (30) must not exceed detection.stallSeconds (20)"),
        argumentSet(
            "sticky",
            "{detection: {weighing: {windowSeconds: 3600}}}",
            "detection.weighing.stickySeconds (10800) must not exceed"
                + " detection.weighing.windowSeconds (3600)"),
        argumentSet(
            "grace",
            "{timeouts: {drainSeconds: 5}}",
            "timeouts.gracePeriodCapSeconds (5) must be below timeouts.drainSeconds (5)"),
        argumentSet(
            "verdict of a condition",
            "{detection: {nodeConditions: [{type: X, verdict: cordon}]}}",
            "detection.nodeConditions[0].verdict is none of ignore, watch, fence"),
        argumentSet(
            "time zone",
            "{maintenance: {timeZone: CEST5}}",
            "maintenance.timeZone is no zone of the IANA database, such as Europe/Berlin"),
        argumentSet(
            "start of a window",
            "{maintenance: {windows: [{start: '24:00', durationMinutes: 60}]}}",
            "maintenance.windows[0].start is no time such as 22:30"),
        argumentSet(
            "length of a window",
            "{maintenance: {windows: [{start: '23:00', durationMinutes: 1441}]}}",
            "maintenance.windows[0].durationMinutes is not from 1 to 1440"),
        argumentSet(
            "day of a window",
            "{maintenance: {windows: [{days: [Mo], start: '23:00', durationMinutes: 60}]}}",
            "maintenance.windows[0].days are none of Mon, Tue, Wed, Thu, Fri, Sat, Sun"),
        argumentSet(
            "stopped jobs",
            "{maintenance: {stoppedJobs: keep}}",
            "maintenance.stoppedJobs is none of recover, wait"),
        argumentSet(
            "currency",
            "{cost: {currency: euro}}",
            "cost.currency is no code of three letters, such as EUR"),
        argumentSet(
            "price",
            "{cost: {pricePerGpuHour: -1}}",
            "cost.pricePerGpuHour is no number from 0 to 100000"),
        argumentSet(
            "no price of a model",
            "{cost: {models: [{product: A}]}}",
            "cost.models[0].pricePerGpuHour is no number from 0 to 100000"),
        argumentSet(
            "two prices of a model",
            "{cost: {models: [{product: A, pricePerGpuHour: 1},"
                + " {product: A, pricePerGpuHour: 2}]}}",
            "cost.models[1].product has a price already"),
        argumentSet(
            "hidden rule",
            "{detection: {nodeConditions: [{type: X, verdict: watch}, {type: Y, verdict: watch},"
                + " {type: X, verdict: fence, reasons: [Broken]}]}}",
            "detection.nodeConditions[2] is never used: [0] decides every X first"),
        argumentSet(
            "hidden by a rule that leaves the status out",
            "{detection: {nodeConditions: [{type: 'X*', verdict: watch},"
                + " {type: XY, badStatus: 'True', verdict: fence}]}}",
            "detection.nodeConditions[1] is never used: [0] decides every XY first"));
  }

  @ParameterizedTest
  @MethodSource("unusable")
  void shouldNameTheFieldAndWhatItMayBe(String spec, String problem) {
    assertThat(PolicyProblems.of(Policies.spec(spec))).containsExactly(problem);
  }

  static Stream<Arguments> usable() {
    return Stream.of(
        argumentSet("nothing set", "{}"),
        argumentSet("empty groups", "{fencing: {}, restart: {}, detection: {}, timeouts: {}}"),
        argumentSet(
            "all words",
            "{mode: observe, fencing: {scope: gpuNodes, lemons: fence}, restart: {strategy:"
                + " inPlace}}"),
        argumentSet(
            "windows and prices",
            "{paused: true, maintenance: {timeZone: Europe/Berlin, windows: [{days: [Sun], start:"
                + " '00:00', durationMinutes: 1440}]}, cost: {currency: EUR, pricePerGpuHour: 2.5,"
                + " models: [{product: NVIDIA-H200, pricePerGpuHour: 0}]}}"),
        argumentSet("limits met", "{detection: {stallSeconds: 30}, timeouts: {drainSeconds: 6}}"),
        argumentSet(
            "rules of one type for other reasons, and for the other status",
            "{detection: {nodeConditions: [{type: X, verdict: watch, reasons: [A]},"
                + " {type: X, verdict: fence, badStatus: 'False'}, {type: X, verdict: fence}]}}"));
  }

  @ParameterizedTest
  @MethodSource("usable")
  void shouldFindNothingInWhatCanBeUsed(String spec) {
    assertThat(PolicyProblems.of(Policies.spec(spec))).isEmpty();
  }

  @Test
  void shouldNameEveryProblem() {
    assertThat(PolicyProblems.of(Policies.spec("{mode: never, timeouts: {drainSeconds: 1}}")))
        .isEqualTo(
            List.of(
                "mode is none of observe, approve, auto",
                "timeouts.gracePeriodCapSeconds (5) must be below timeouts.drainSeconds (1)"));
  }
}
