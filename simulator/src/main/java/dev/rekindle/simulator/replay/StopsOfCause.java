package dev.rekindle.simulator.replay;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import dev.rekindle.simulator.replay.Timeline.Stop;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Stops with one cause.
 *
 * @param stops how many
 * @param over how many of them ended
 * @param toAct mean time until the controller or a person began to act, of those that saw it
 * @param toTrain mean time until steps went on, of those that ended
 * @param longest the longest
 */
record StopsOfCause(
    int stops, int over, Optional<Duration> toAct, Optional<Duration> toTrain, Duration longest) {

  /**
   * By the word of the fault, or {@code no fault}.
   *
   * @param actions when the controller or a person began to act, each time
   */
  static Map<String, StopsOfCause> of(List<Stop> stops, List<Duration> actions) {
    Map<String, StopsOfCause> all = new TreeMap<>();
    stops.stream()
        .collect(groupingBy(StopsOfCause::word, toList()))
        .forEach((word, some) -> all.put(word, about(some, actions)));
    return all;
  }

  private static StopsOfCause about(List<Stop> some, List<Duration> actions) {
    List<Stop> over = some.stream().filter(Stop::over).toList();
    List<Duration> toAct =
        some.stream()
            .flatMap(stop -> stop.acted(actions).map(at -> at.minus(stop.start())).stream())
            .toList();
    return new StopsOfCause(
        some.size(),
        over.size(),
        Durations.mean(toAct),
        Durations.mean(over.stream().map(Stop::length).toList()),
        some.stream().map(Stop::length).reduce(Duration.ZERO, Durations::longer));
  }

  private static String word(Stop stop) {
    return stop.cause() == null ? "no fault" : stop.cause().word();
  }
}
