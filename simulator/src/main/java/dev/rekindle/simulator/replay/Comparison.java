package dev.rekindle.simulator.replay;

import static java.util.stream.Collectors.toConcurrentMap;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * One trace in several worlds.
 *
 * @param plan what was replayed
 * @param worlds the result in each {@link World}, in their order
 * @param curve by a person, over times of response
 */
record Comparison(Plan plan, List<Result> worlds, List<Result> curve) {
  /**
   * One replay.
   *
   * @param plan what is replayed
   * @param world who brings the job back
   */
  record Run(Plan plan, World world) {}

  /**
   * Every run that a comparison takes. The usual time of response may be one of the curve as well;
   * it is replayed once.
   *
   * @param curve times of response, each replayed with a person
   */
  static Set<Run> runs(Plan plan, Collection<Duration> curve) {
    Set<Run> runs = new LinkedHashSet<>();
    for (World world : World.values()) {
      runs.add(new Run(plan, world));
    }
    curve.forEach(respond -> runs.add(responding(plan, respond)));
    return runs;
  }

  private static Run responding(Plan plan, Duration respond) {
    return new Run(plan.withRespond(respond), World.PERSON);
  }

  /**
   * Runs them all, as many at a time as there are processors. The order of the runs does not matter
   * to any of them.
   *
   * @param curve times of response, each replayed with a person
   * @param progress gets the time that each run has replayed since it last called, from any thread
   */
  static Comparison of(Plan plan, Collection<Duration> curve, Consumer<Duration> progress) {
    Map<Run, Result> results =
        runs(plan, curve).parallelStream()
            .collect(
                toConcurrentMap(
                    Function.identity(), run -> Replay.run(run.plan(), run.world(), progress)));
    return new Comparison(
        plan,
        Stream.of(World.values()).map(world -> results.get(new Run(plan, world))).toList(),
        curve.stream().map(respond -> results.get(responding(plan, respond))).toList());
  }

  Result in(World world) {
    return worlds.stream().filter(r -> r.world() == world).findFirst().orElseThrow();
  }

  /** What has stopped the job in any of them. */
  SortedSet<String> causes() {
    SortedSet<String> causes = new TreeSet<>();
    worlds.forEach(result -> causes.addAll(result.byCause().keySet()));
    return causes;
  }
}
