package dev.rekindle.simulator.replay;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingInt;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.simulator.replay.Faults.Tally;
import dev.rekindle.simulator.replay.Timeline.Piece;
import dev.rekindle.simulator.replay.Timeline.State;
import dev.rekindle.simulator.replay.Timeline.Stop;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

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
 * @param checkpoints checkpoints written, those that were thrown away included
 * @param tallies where the faults fell
 * @param recoveries every Recovery object, in order
 * @param actions when the controller, or the person, began to act, each time
 */
record Result(
    World world,
    Assumptions assumptions,
    Duration wall,
    List<Piece> pieces,
    List<Stop> stops,
    long productive,
    long made,
    long checkpoints,
    Map<FaultKind, Tally> tallies,
    List<Ended> recoveries,
    List<Duration> actions) {

  /**
   * A Recovery object at the end.
   *
   * @param reason its cause
   * @param phase where it ended, or stands
   * @param attempts restarts that it took
   */
  record Ended(String reason, RecoveryPhase phase, int attempts) {}

  Result {
    pieces = List.copyOf(pieces);
    stops = List.copyOf(stops);
    tallies = new EnumMap<>(tallies);
    recoveries = List.copyOf(recoveries);
    actions = List.copyOf(actions);
  }

  /** Time in steps that count, over all time. */
  double ettr() {
    return Durations.seconds(productiveTime()) / Durations.seconds(wall);
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
    return Durations.longer(rest, Duration.ZERO);
  }

  Duration in(State state) {
    Stream<Piece> some = pieces.stream().filter(piece -> piece.state() == state);
    return some.map(Piece::length).reduce(Duration.ZERO, Duration::plus);
  }

  /** A time of the whole job in GPU-hours. */
  double gpuHours(Duration time) {
    return Durations.seconds(time) / 3600 * assumptions.gpus();
  }

  long lostSteps() {
    return made - productive;
  }

  /** Mean time of training between two stops. */
  Optional<Duration> betweenStops() {
    return stops.stream().findAny().map(_ -> in(State.TRAINING).dividedBy(stops.size()));
  }

  /** Mean length of a stop. */
  Optional<Duration> meanStop() {
    return Durations.mean(stops.stream().map(Stop::length).toList());
  }

  /**
   * What the ETTR should be by the formula that is commonly used, of the stops as they were; absent
   * without any. A check on the simulator, and the other way round.
   */
  Optional<Double> ettrByRenewal() {
    return betweenStops()
        .map(
            between ->
                renewal(
                    between,
                    meanStop().orElseThrow(),
                    assumptions.checkpointInterval(),
                    assumptions.checkpointWrite()));
  }

  /**
   * The effective training time ratio of a job whose stops come at random: of the time between two
   * stops the part between is trained; half a checkpoint interval of it is lost, and of the rest a
   * share goes into writing checkpoints.
   *
   * @param between mean time of training between two stops
   * @param stop mean length of a stop
   * @param interval training between two checkpoints
   * @param write time that writing one takes
   */
  static double renewal(Duration between, Duration stop, Duration interval, Duration write) {
    double m = Durations.seconds(between);
    double dt = Durations.seconds(interval);
    double w = Durations.seconds(write);
    return Math.max(0, (m - (dt + w) / 2) / (m + Durations.seconds(stop))) * dt / (dt + w);
  }

  /** Stops by cause; the key is the word of the fault, or {@code no fault}. */
  Map<String, StopsOfCause> byCause() {
    return StopsOfCause.of(stops, actions);
  }

  /** How many recoveries have which trait. */
  Map<String, Integer> recoveries(Function<Ended, String> trait) {
    return recoveries.stream().collect(groupingBy(trait, TreeMap::new, summingInt(_ -> 1)));
  }
}
