package dev.rekindle.simulator.replay;

import static java.util.stream.Collectors.joining;

import dev.rekindle.cli.TextTable;
import dev.rekindle.controller.economics.SaveAdvice;
import dev.rekindle.simulator.replay.Faults.Tally;
import dev.rekindle.simulator.replay.Timeline.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** A comparison for people: every figure with what it hangs on. The words are in a template. */
record ReplayReport(Comparison comparison) {
  private static final String NONE = "-";

  static String of(Comparison comparison) {
    return Templates.render("report.jte", new ReplayReport(comparison));
  }

  Plan plan() {
    return comparison.plan();
  }

  String name() {
    return TraceReader.printable(plan().name());
  }

  String days() {
    return String.format(Locale.ROOT, "%.1f", Durations.days(plan().wall()));
  }

  String faults() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("  fault", "hit the job", "elsewhere", "left out", "what happens"));
    rekindle()
        .tallies()
        .forEach((kind, tally) -> rows.add(row("  " + kind.word(), tally, kind.meaning())));
    return TextTable.aligned(rows);
  }

  private static List<String> row(String kind, Tally tally, String meaning) {
    return List.of(kind, "" + tally.hit(), "" + tally.idle(), "" + tally.leftOut(), meaning);
  }

  /** A part of badput in GPU-hours. */
  String badput(Function<ReplayEconomics, Duration> part) {
    return hours(rekindle(), part.apply(ReplayEconomics.of(rekindle())));
  }

  /** How often it should save. */
  String advice() {
    return ReplayEconomics.advice(rekindle())
        .map(SaveAdvice::text)
        .orElse("not enough data: fewer than two stops were seen");
  }

  private Result rekindle() {
    return comparison.in(World.REKINDLE);
  }

  String results() {
    return TextTable.aligned(
        List.of(
            row("Result", r -> r.world().title()),
            row("ETTR", r -> percent(r.ettr())),
            row(
                "  by the renewal formula",
                r -> r.ettrByRenewal().map(ReplayReport::percent).orElse(NONE)),
            row("stops of the training", r -> "" + r.stops().size()),
            row("mean time between stops", r -> rough(r.betweenStops())),
            row("mean length of a stop", r -> rough(r.meanStop())),
            row("steps that count", r -> "" + r.productive()),
            row("steps made again", r -> "" + r.lostSteps()),
            row("lost GPU-hours", r -> hours(r, r.wall().minus(r.productiveTime()))),
            row("  steps made again", r -> hours(r, r.madeAgain())),
            row("  down", r -> hours(r, r.in(State.DOWN))),
            row("  waiting for nodes", r -> hours(r, r.in(State.SHORT_OF_NODES))),
            row("  writing checkpoints", r -> hours(r, r.writing()))));
  }

  private List<String> row(String what, Function<Result, String> value) {
    List<String> cells = new ArrayList<>(List.of(what));
    comparison.worlds().forEach(result -> cells.add(value.apply(result)));
    return cells;
  }

  int recoveries() {
    return rekindle().recoveries().size();
  }

  String recoveriesBy(Function<Result.Ended, String> trait) {
    String counts =
        rekindle().recoveries(trait).entrySet().stream()
            .map(count -> count.getKey() + " " + count.getValue())
            .collect(joining(", "));
    return counts.isEmpty() ? "none" : counts;
  }

  String causes() {
    List<List<String>> rows = new ArrayList<>();
    for (Result r : comparison.worlds()) {
      r.byCause().forEach((cause, about) -> rows.add(row(cause, r.world(), about)));
    }
    rows.sort(Comparator.comparing(List::getFirst));
    rows.addFirst(
        List.of("Stops by cause", "world", "stops", "until acted on", "until training", "longest"));
    return TextTable.aligned(rows);
  }

  private static List<String> row(String cause, World world, StopsOfCause about) {
    return List.of(
        cause,
        world.title(),
        "" + about.stops(),
        rough(about.toAct()),
        rough(about.toTrain()),
        Durations.rough(about.longest()));
  }

  boolean hasCurve() {
    return !comparison.curve().isEmpty();
  }

  String curve() {
    List<List<String>> rows = new ArrayList<>();
    String lost = " lost to Rekindle";
    rows.add(List.of("A person's response", "ETTR", "points" + lost, "GPU-hours" + lost));
    for (Result r : comparison.curve()) {
      double less = rekindle().ettr() - r.ettr();
      Duration time = Duration.ofMillis(Math.round(r.wall().toMillis() * less));
      rows.add(
          List.of(
              Durations.exact(r.assumptions().respond()),
              percent(r.ettr()),
              String.format(Locale.ROOT, "%.2f", less * 100),
              hours(r, time)));
    }
    return TextTable.aligned(rows);
  }

  static String percent(double ratio) {
    return String.format(Locale.ROOT, "%.2f %%", ratio * 100);
  }

  private static String hours(Result r, Duration time) {
    return String.format(Locale.ROOT, "%.0f", r.gpuHours(time));
  }

  private static String rough(Optional<Duration> time) {
    return time.map(Durations::rough).orElse(NONE);
  }
}
