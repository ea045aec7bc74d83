package dev.rekindle.simulator.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.replay.Timeline.State;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A comparison for machines: times in seconds, ratios from 0 to 1. */
final class ReplayJson {
  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private ReplayJson() {}

  static String of(Comparison comparison) {
    ObjectNode root = MAPPER.createObjectNode();
    trace(root.putObject("trace"), comparison.plan());
    assumptions(root.putObject("assumptions"), comparison.plan().assumptions());
    for (Result result : comparison.worlds()) {
      result(root.putObject(result.world().name().toLowerCase(Locale.ROOT)), result);
    }
    ArrayNode curve = root.putArray("curve");
    for (Result result : comparison.curve()) {
      curve
          .addObject()
          .put("respondSeconds", Durations.seconds(result.assumptions().respond()))
          .put("ettr", rounded(result.ettr()));
    }
    try {
      return MAPPER.writeValueAsString(root).replace("\r\n", "\n") + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of ours cannot be written", e);
    }
  }

  private static void trace(ObjectNode node, Plan plan) {
    node.put("name", plan.name())
        .put("days", rounded(Durations.days(plan.wall())))
        .put("rows", plan.trace().rows())
        .put("leftOut", plan.trace().bad())
        .put("joined", plan.trace().joined());
    plan.trace().troubles().forEach(node.putArray("troubles")::add);
  }

  private static void assumptions(ObjectNode node, Assumptions a) {
    Policy policy = Setups.policy(a);
    node.put("jobNodes", a.jobNodes())
        .put("spares", a.spares())
        .put("gpusPerNode", a.gpusPerNode())
        .put("stepSeconds", Durations.seconds(a.step()))
        .put("checkpointIntervalSeconds", Durations.seconds(a.checkpointInterval()))
        .put("checkpointWriteSeconds", Durations.seconds(a.checkpointWrite()))
        .put("operatorPodsPerSecond", a.operatorRate())
        .put("creationSeconds", Durations.seconds(a.creation()))
        .put("startSeconds", Durations.seconds(a.start()))
        .put("loadSeconds", Durations.seconds(a.load()))
        .put("ncclTimeoutSeconds", Durations.seconds(a.collective()))
        .put("nodeGraceSeconds", Durations.seconds(Setups.timing(a).nodeGrace()))
        .put("silentNodeSeconds", Durations.seconds(policy.silentNode()))
        .put("stallSeconds", Durations.seconds(policy.stall()))
        .put("kubeletRestartSeconds", Durations.seconds(policy.kubeletRestart()))
        .put("maxFencedNodes", policy.maxFencedNodes())
        .put("maxRestarts", policy.maxRestarts())
        .put("budgetWindowSeconds", Durations.seconds(policy.budgetWindow()))
        .put("maxAttempts", policy.maxAttempts())
        .put("noticeSeconds", Durations.seconds(a.notice()))
        .put("respondSeconds", Durations.seconds(a.respond()))
        .put("manualRestartSeconds", Durations.seconds(a.manualRestart()))
        .put("unknown", a.unknown().word())
        .put("seed", a.seed());
  }

  private static void result(ObjectNode node, Result r) {
    node.put("ettr", rounded(r.ettr()))
        .put("stops", r.stops().size())
        .put("meanBetweenStopsSeconds", seconds(r.betweenStops()))
        .put("meanStopSeconds", seconds(r.meanStop()))
        .put("stepsThatCount", r.productive())
        .put("stepsMadeAgain", r.lostSteps())
        .put("checkpointsWritten", r.checkpoints());
    node.putObject("lostGpuHours")
        .put("total", rounded(r.gpuHours(r.wall().minus(r.productiveTime()))))
        .put("stepsMadeAgain", rounded(r.gpuHours(r.madeAgain())))
        .put("down", rounded(r.gpuHours(r.in(State.DOWN))))
        .put("waitingForNodes", rounded(r.gpuHours(r.in(State.SHORT_OF_NODES))))
        .put("writingCheckpoints", rounded(r.gpuHours(r.writing())));
    ReplayEconomics.write(node, r);
    ObjectNode faults = node.putObject("faults");
    r.tallies()
        .forEach(
            (kind, tally) ->
                faults
                    .putObject(kind.word())
                    .put("hit", tally.hit())
                    .put("elsewhere", tally.idle())
                    .put("leftOut", tally.leftOut()));
    ObjectNode recoveries = node.putObject("recoveries");
    recoveries.put("total", r.recoveries().size());
    r.recoveries(e -> e.phase().word()).forEach(recoveries.putObject("byOutcome")::put);
    r.recoveries(Result.Ended::reason).forEach(recoveries.putObject("byCause")::put);
    ObjectNode causes = node.putObject("stopsByCause");
    r.byCause()
        .forEach(
            (cause, about) ->
                causes
                    .putObject(cause)
                    .put("stops", about.stops())
                    .put("over", about.over())
                    .put("meanUntilActedOnSeconds", seconds(about.toAct()))
                    .put("meanUntilTrainingSeconds", seconds(about.toTrain()))
                    .put("longestSeconds", Durations.seconds(about.longest())));
  }

  private static @Nullable Double seconds(Optional<Duration> time) {
    return time.map(Durations::seconds).orElse(null);
  }

  /** Six digits after the point: more is noise. */
  static double rounded(double value) {
    return Math.round(value * 1e6) / 1e6;
  }
}
