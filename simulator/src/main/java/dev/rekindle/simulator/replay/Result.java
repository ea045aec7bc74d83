package dev.rekindle.simulator.replay;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.simulator.replay.Timeline.State;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What came of a replay in one world.
 *
 * @param world who brought the job back
 * @param assumptions what the trace does not say
 * @param wall how long was replayed
 * @param pieces what the job did, in order
 * @param stops times without steps
 * @param productive steps that count
 * @param made steps made, those made again included
 * @param checkpoints checkpoints written
 * @param tallies where the faults fell
 * @param recoveries every Recovery object, in order
 * @param events events that the simulator ran
 */
record Result(
    World world,
    Assumptions assumptions,
    Duration wall,
    List<Timeline.Piece> pieces,
    List<Stop> stops,
    long productive,
    long made,
    long checkpoints,
    Map<FaultKind, Tally> tallies,
    List<Ended> recoveries,
    long events) {

  /**
   * A Recovery object at the end.
   *
   * @param reason its cause
   * @param phase where it ended, or stands
   * @param detected when it was opened, from the beginning of the trace
   * @param attempts restarts that it took
   */
  record Ended(String reason, RecoveryPhase phase, Duration detected, int attempts) {}

  /**
   * Stops with one cause.
   *
   * @param stops how many
   * @param over how many of them ended
   * @param toAct mean time until the controller or a person began to act, of those that saw it
   * @param toTrain mean time until steps went on, of those that ended
   * @param longest the longest
   */
  record ByCause(
      int stops,
      int over,
      Optional<Duration> toAct,
      Optional<Duration> toTrain,
      Duration longest) {}

  Result {
    pieces = List.copyOf(pieces);
    stops = List.copyOf(stops);
    tallies = new EnumMap<>(tallies);
    recoveries = List.copyOf(recoveries);
  }

  /** Time in steps that count, over all time. */
  double ettr() {
    return seconds(productiveTime()) / seconds(wall);
  }

  Duration productiveTime() {
    return assumptions.step().multipliedBy(productive);
  }

  /** Time in which the job waited for a checkpoint to be written. */
  Duration writing() {
    return assumptions.checkpointWrite().multipliedBy(checkpoints);
  }

  /** Time spent on steps that were made again, and on those that were cut off. */
  Duration madeAgain() {
    Duration rest = in(State.TRAINING).minus(productiveTime()).minus(writing());
    return rest.isNegative() ? Duration.ZERO : rest;
  }

  Duration in(State state) {
    return pieces.stream()
        .filter(piece -> piece.state() == state)
        .map(Timeline.Piece::length)
        .reduce(Duration.ZERO, Duration::plus);
  }

  /** A time of the whole job in GPU-hours. */
  double gpuHours(Duration time) {
    return seconds(time) / 3600 * assumptions.gpus();
  }

  long lostSteps() {
    return made - productive;
  }

  /** Mean time of training between two stops. */
  Optional<Duration> betweenStops() {
    return stops.isEmpty()
        ? Optional.empty()
        : Optional.of(in(State.TRAINING).dividedBy(stops.size()));
  }

  /** Mean length of a stop. */
  Optional<Duration> meanStop() {
    return mean(stops.stream().map(Stop::length).toList());
  }

  /** Stops by cause; the key is the word of the fault, or {@code no fault}. */
  Map<String, ByCause> byCause() {
    Map<String, ByCause> causes = new TreeMap<>();
    for (String word : stops.stream().map(Result::word).distinct().toList()) {
      causes.put(word, about(stops.stream().filter(s -> word(s).equals(word)).toList()));
    }
    return causes;
  }

  private static ByCause about(List<Stop> stops) {
    List<Stop> over = stops.stream().filter(Stop::over).toList();
    return new ByCause(
        stops.size(),
        over.size(),
        mean(
            stops.stream()
                .flatMap(
                    s -> Optional.ofNullable(s.detected()).map(d -> d.minus(s.start())).stream())
                .toList()),
        mean(over.stream().map(Stop::length).toList()),
        stops.stream().map(Stop::length).max(Comparator.naturalOrder()).orElse(Duration.ZERO));
  }

  private static String word(Stop stop) {
    return stop.cause() == null ? "no fault" : stop.cause().word();
  }

  private static Optional<Duration> mean(List<Duration> times) {
    return times.stream().reduce(Duration::plus).map(sum -> sum.dividedBy(times.size()));
  }

  /** Recoveries by a trait of theirs. */
  Map<String, Integer> recoveries(Function<Ended, String> trait) {
    Map<String, Integer> counts = new TreeMap<>();
    recoveries.forEach(r -> counts.merge(trait.apply(r), 1, Integer::sum));
    return counts;
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }
}
