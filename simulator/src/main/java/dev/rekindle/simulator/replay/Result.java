package dev.rekindle.simulator.replay;

import static dev.rekindle.simulator.replay.Durations.seconds;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingInt;
import static java.util.stream.Collectors.toList;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.economics.Economics;
import dev.rekindle.controller.economics.SaveAdvice;
import dev.rekindle.simulator.replay.Faults.Tally;
import dev.rekindle.simulator.replay.Timeline.Account;
import dev.rekindle.simulator.replay.Timeline.State;
import dev.rekindle.simulator.replay.Timeline.Stop;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What came of a replay in one world.
 *
 * @param plan what was replayed
 * @param world who brought the job back
 * @param account what the job did with its time
 * @param tallies where the faults fell
 * @param recoveries every Recovery object, in order
 * @param actions when the controller, or the person, began to act, each time
 */
record Result(
    Plan plan,
    World world,
    Account account,
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

  /** Time in steps that count, over all time. */
  double ettr() {
    return seconds(productiveTime()) / seconds(plan.wall());
  }

  Duration productiveTime() {
    return plan.options().job.step.multipliedBy(account.productive());
  }

  /** Time in which the job waited for a checkpoint to be written. */
  private Duration writing() {
    return plan.options().job.checkpointWrite.multipliedBy(account.checkpoints());
  }

  /** Time spent on steps that were made again, and on those that were cut off. */
  Duration madeAgain() {
    Duration rest = account.in(State.TRAINING).minus(productiveTime()).minus(writing());
    return Durations.longer(rest, Duration.ZERO);
  }

  /** All that is lost, and its parts. */
  SequencedMap<String, Duration> lost() {
    SequencedMap<String, Duration> parts = new LinkedHashMap<>();
    parts.put("total", plan.wall().minus(productiveTime()));
    parts.put("stepsMadeAgain", madeAgain());
    parts.put("down", account.in(State.DOWN));
    parts.put("waitingForNodes", account.in(State.SHORT_OF_NODES));
    parts.put("writingCheckpoints", writing());
    return parts;
  }

  /**
   * The same by the names of Google's badput. A stop is split by the assumptions: its end is the
   * start of the program and the reading of the checkpoint, once for each that ended.
   */
  SequencedMap<String, Duration> badput() {
    Duration down = account.in(State.DOWN);
    long ended = account.stops().stream().filter(Stop::over).count();
    Options.Job job = plan.options().job;
    Duration startup = job.start.plus(job.load).multipliedBy(ended);
    Duration within = startup.compareTo(down) < 0 ? startup : down;
    SequencedMap<String, Duration> parts = new LinkedHashMap<>();
    parts.put("infrastructureRecovery", down.minus(within).plus(account.in(State.SHORT_OF_NODES)));
    parts.put("programStartup", within);
    parts.put("wastedProgress", madeAgain());
    parts.put("checkpointSave", writing());
    return parts;
  }

  /** What is said of the checkpoint interval; empty where too little was seen of failures. */
  Optional<SaveAdvice> advice() {
    double between = betweenStops().map(Durations::seconds).orElse(0.0);
    double write = seconds(plan.options().job.checkpointWrite);
    if (account.stops().size() < 2 || between == 0 || write == 0) {
      return Optional.empty();
    }
    Economics costs = new Economics(between, write, seconds(meanStop().orElseThrow()));
    double interval = seconds(plan.options().job.checkpointInterval);
    return Optional.of(SaveAdvice.of(interval, costs, plan.gpus()));
  }

  /** A time of the whole job in GPU-hours. */
  double gpuHours(Duration time) {
    return seconds(time) / 3600 * plan.gpus();
  }

  /** Mean time of training between two stops. */
  Optional<Duration> betweenStops() {
    int stops = account.stops().size();
    return stops == 0 ? Optional.empty() : Optional.of(account.in(State.TRAINING).dividedBy(stops));
  }

  /** Mean length of a stop. */
  Optional<Duration> meanStop() {
    return Durations.mean(account.stops().stream().map(Stop::length));
  }

  /**
   * What the ETTR should be by the formula that is commonly used, of the stops as they were; absent
   * without any. A check on the simulator, and the other way round.
   */
  Optional<Double> ettrByRenewal() {
    Options.Job job = plan.options().job;
    Duration interval = job.checkpointInterval;
    return betweenStops()
        .map(m -> renewal(m, meanStop().orElseThrow(), interval, job.checkpointWrite));
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
    double m = seconds(between);
    double dt = seconds(interval);
    double w = seconds(write);
    return Math.max(0, (m - (dt + w) / 2) / (m + seconds(stop))) * dt / (dt + w);
  }

  /** Stops by cause; the key is the word of the fault, or {@code no fault}. */
  Map<String, List<Stop>> byCause() {
    return account.stops().stream().collect(groupingBy(Stop::word, TreeMap::new, toList()));
  }

  List<Stop> stops(String cause) {
    return byCause().getOrDefault(cause, List.of());
  }

  /** Mean time until the controller or a person began to act, of those stops that saw it. */
  Optional<Duration> toAct(List<Stop> stops) {
    return Durations.mean(
        stops.stream().flatMap(s -> s.acted(actions).map(at -> at.minus(s.start())).stream()));
  }

  /** Mean time until steps continued, of those stops that ended. */
  static Optional<Duration> toTrain(List<Stop> stops) {
    return Durations.mean(stops.stream().filter(Stop::over).map(Stop::length));
  }

  static Duration longest(List<Stop> stops) {
    return stops.stream().map(Stop::length).reduce(Duration.ZERO, Durations::longer);
  }

  /** How many recoveries have which trait. */
  Map<String, Integer> recoveries(Function<Ended, String> trait) {
    return recoveries.stream().collect(groupingBy(trait, TreeMap::new, summingInt(_ -> 1)));
  }
}
