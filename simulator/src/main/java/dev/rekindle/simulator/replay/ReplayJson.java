package dev.rekindle.simulator.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.replay.Timeline.State;
import dev.rekindle.simulator.setup.Timing;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** A comparison for machines: times in seconds, ratios from 0 to 1. */
final class ReplayJson {
  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private ReplayJson() {}

  static String of(Comparison comparison) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.set("trace", trace(comparison.plan()));
    root.set("assumptions", assumptions(comparison.plan().assumptions()));
    root.set("rekindle", result(comparison.rekindle()));
    root.set("person", result(comparison.person()));
    root.set("nobody", result(comparison.nobody()));
    ArrayNode curve = root.putArray("curve");
    for (Result result : comparison.curve()) {
      curve
          .addObject()
          .put("respondSeconds", seconds(result.assumptions().respond()))
          .put("ettr", rounded(result.ettr()));
    }
    try {
      return MAPPER.writeValueAsString(root).replace("\r\n", "\n") + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of ours cannot be written", e);
    }
  }

  private static ObjectNode trace(Plan plan) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("name", plan.name())
        .put("days", rounded(Outage.days(plan.wall())))
        .put("rows", plan.trace().rows())
        .put("leftOut", plan.trace().bad())
        .put("joined", plan.trace().joined());
    plan.trace().troubles().forEach(node.putArray("troubles")::add);
    return node;
  }

  private static ObjectNode assumptions(Assumptions a) {
    Policy policy = Setups.policy(a);
    Timing timing = Setups.timing(a);
    return JsonNodeFactory.instance
        .objectNode()
        .put("jobNodes", a.jobNodes())
        .put("spares", a.spares())
        .put("gpusPerNode", a.gpusPerNode())
        .put("stepSeconds", seconds(a.step()))
        .put("checkpointIntervalSeconds", seconds(a.checkpointInterval()))
        .put("checkpointWriteSeconds", seconds(a.checkpointWrite()))
        .put("operatorPodsPerSecond", a.operatorRate())
        .put("creationSeconds", seconds(a.creation()))
        .put("startSeconds", seconds(a.start()))
        .put("loadSeconds", seconds(a.load()))
        .put("ncclTimeoutSeconds", seconds(a.collective()))
        .put("nodeGraceSeconds", seconds(timing.nodeGrace()))
        .put("silentNodeSeconds", seconds(policy.silentNode()))
        .put("stallSeconds", seconds(policy.stall()))
        .put("kubeletRestartSeconds", seconds(policy.kubeletRestart()))
        .put("maxFencedNodes", policy.maxFencedNodes())
        .put("maxRestarts", policy.maxRestarts())
        .put("budgetWindowSeconds", seconds(policy.budgetWindow()))
        .put("maxAttempts", policy.maxAttempts())
        .put("noticeSeconds", seconds(a.notice()))
        .put("respondSeconds", seconds(a.respond()))
        .put("manualRestartSeconds", seconds(a.manualRestart()))
        .put("unknown", a.unknown().word())
        .put("seed", a.seed());
  }

  private static ObjectNode result(Result r) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("ettr", rounded(r.ettr())).put("stops", r.stops().size());
    put(node, "meanBetweenStopsSeconds", r.betweenStops());
    put(node, "meanStopSeconds", r.meanStop());
    node.put("stepsThatCount", r.productive())
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
    counts(recoveries.putObject("byOutcome"), r.recoveries(e -> e.phase().word()));
    counts(recoveries.putObject("byCause"), r.recoveries(Result.Ended::reason));
    ObjectNode causes = node.putObject("stopsByCause");
    r.byCause().forEach((cause, about) -> byCause(causes.putObject(cause), about));
    return node;
  }

  private static void byCause(ObjectNode node, Result.ByCause about) {
    node.put("stops", about.stops()).put("over", about.over());
    put(node, "meanUntilActedOnSeconds", about.toAct());
    put(node, "meanUntilTrainingSeconds", about.toTrain());
    node.put("longestSeconds", seconds(about.longest()));
  }

  private static void counts(ObjectNode node, Map<String, Integer> counts) {
    counts.forEach(node::put);
  }

  private static void put(ObjectNode node, String name, Optional<Duration> time) {
    if (time.isPresent()) {
      node.put(name, seconds(time.get()));
    } else {
      node.putNull(name);
    }
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1000.0;
  }

  /** Six digits after the point: more is noise. */
  private static double rounded(double value) {
    return Math.round(value * 1e6) / 1e6;
  }
}
