package dev.rekindle.testbed.scale;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What the API server's own log says of one recovery: when it answered, by its clock, and how many
 * calls the controller made.
 *
 * @param calls in the order in which they were answered
 */
record Audit(List<Call> calls) {
  private static final String CONTROLLER = "rekindle-controller";

  /**
   * A call that went well.
   *
   * @param what verb, resource and subresource
   * @param name of the object
   * @param who user agent
   * @param received when it came
   * @param answered when it was answered
   */
  record Call(String what, String name, String who, Instant received, Instant answered) {
    boolean ours() {
      return who.startsWith(CONTROLLER);
    }
  }

  /** The calls since then. */
  static Audit of(Stream<String> lines, Instant since) {
    return new Audit(
        lines
            .map(line -> Serialization.unmarshal(line, JsonNode.class))
            .filter(e -> e.path("stage").asText().equals("ResponseComplete"))
            .filter(e -> e.path("responseStatus").path("code").asInt() / 100 == 2)
            .map(Audit::call)
            .filter(call -> !call.received().isBefore(since))
            .toList());
  }

  private static Call call(JsonNode event) {
    JsonNode object = event.path("objectRef");
    String sub = object.path("subresource").asText();
    return new Call(
        event.path("verb").asText()
            + " "
            + object.path("resource").asText()
            + (sub.isEmpty() ? "" : "/" + sub),
        object.path("name").asText(),
        event.path("userAgent").asText(),
        Instant.parse(event.path("requestReceivedTimestamp").asText()),
        Instant.parse(event.path("stageTimestamp").asText()));
  }

  /** Calls of the controller, by what they did. */
  Map<String, Integer> ours() {
    Map<String, Integer> counts = new TreeMap<>();
    calls.stream().filter(Call::ours).forEach(c -> counts.merge(c.what(), 1, Integer::sum));
    return counts;
  }

  /**
   * For each kind of call, in milliseconds: when they were answered, and how long they took inside
   * the API server.
   *
   * @param zero where time begins
   */
  Map<String, Object> spread(Instant zero) {
    Map<String, List<Call>> kinds = new TreeMap<>();
    calls.forEach(
        c ->
            kinds
                .computeIfAbsent(
                    (c.ours() ? "controller: " : "") + c.what(), _ -> new ArrayList<>())
                .add(c));
    Map<String, Object> json = new LinkedHashMap<>();
    kinds.forEach(
        (kind, of) ->
            json.put(
                kind,
                Map.of(
                    "answered", between(of, _ -> zero).json(),
                    "took", between(of, Call::received).json())));
    return json;
  }

  private static Spread between(List<Call> calls, Function<Call, Instant> start) {
    return Spread.ofNanos(
        calls.stream().map(c -> Duration.between(start.apply(c), c.answered()).toNanos()).toList());
  }

  /** Puts the API server's times in place of those at which a watch was heard. */
  void refine(Milestones moments, String victim) {
    Predicate<Call> orders = c -> c.ours() && c.what().equals("update restartorders");
    List<Instant> moved = calls.stream().filter(orders).map(Call::answered).toList();
    List<Instant> reports = answered("update restartreports");
    put(moments, Milestone.FREEZE_ORDERED, answered("create restartorders"), 0);
    put(moments, Milestone.FROZEN, answered("create restartreports"), -1);
    put(
        moments,
        Milestone.DELETED,
        calls.stream()
            .filter(c -> c.ours() && c.what().equals("delete pods") && c.name().equals(victim))
            .map(Call::received)
            .toList(),
        0);
    put(
        moments,
        Milestone.PLACED,
        calls.stream()
            .filter(c -> c.what().equals("create pods/binding") && c.name().equals(victim))
            .map(Call::answered)
            .toList(),
        0);
    if (moved.size() > 1) {
      put(moments, Milestone.LEADER_ORDERED, moved, 0);
      put(moments, Milestone.LEADER_DEAD, reports, 0);
    }
    put(moments, Milestone.ALL_ORDERED, moved, -1);
    put(moments, Milestone.RESTARTED, reports, -1);
    List<Instant> jobs =
        calls.stream()
            .filter(c -> c.ours() && c.what().matches("(patch|update) pytorchjobs"))
            .map(Call::answered)
            .toList();
    if (moments.at(Milestone.SUSPENDED).isPresent()) {
      put(moments, Milestone.SUSPENDED, jobs, 0);
      put(moments, Milestone.RESUMED, jobs, -1);
    }
    put(moments, Milestone.RECOVERED, answered("update recoveries/status"), -1);
  }

  private List<Instant> answered(String what) {
    return calls.stream().filter(c -> c.what().equals(what)).map(Call::answered).toList();
  }

  /** The first of the times, or the last; nothing where there is none. */
  private static void put(Milestones moments, Milestone moment, List<Instant> times, int which) {
    times.stream()
        .filter(Objects::nonNull)
        .min((a, b) -> which == 0 ? a.compareTo(b) : b.compareTo(a))
        .ifPresent(time -> moments.last(moment, time));
  }
}
