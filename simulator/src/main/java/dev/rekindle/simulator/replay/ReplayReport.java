package dev.rekindle.simulator.replay;

import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.replay.Timeline.State;
import dev.rekindle.simulator.setup.Timing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** A comparison for people: every figure with what it hangs on. */
final class ReplayReport {
  private static final String NONE = "-";

  private final StringBuilder text = new StringBuilder();
  private final Comparison comparison;
  private final Assumptions a;

  private ReplayReport(Comparison comparison) {
    this.comparison = comparison;
    this.a = comparison.plan().assumptions();
  }

  static String of(Comparison comparison) {
    ReplayReport report = new ReplayReport(comparison);
    report.head();
    report.trace();
    report.assumptions();
    report.results();
    ReplayEconomics.lines(comparison.rekindle()).forEach(report::line);
    report.recoveries();
    report.causes();
    report.curve();
    return report.text.toString();
  }

  private void head() {
    line(
        "Replay of %s: %.1f days, %s nodes of %s GPUs, a job on %s of them (%s GPUs), %s spare"
            .formatted(
                printable(comparison.plan().name()),
                Outage.days(comparison.plan().wall()),
                a.fleet(),
                a.gpusPerNode(),
                a.jobNodes(),
                a.gpus(),
                a.spares()));
  }

  private void trace() {
    Trace trace = comparison.plan().trace();
    line("");
    line(
        "Trace: %s good rows, %s left out; %s began on a node that was out already and only prolong that"
            .formatted(trace.rows(), trace.bad(), trace.joined()));
    trace.troubles().forEach(trouble -> line("  left out: %s".formatted(trouble)));
    if (trace.bad() > trace.troubles().size()) {
      line("  and %s more".formatted(trace.bad() - trace.troubles().size()));
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("  fault", "hit the job", "elsewhere", "left out", "what happens"));
    for (FaultKind kind : FaultKind.values()) {
      Tally tally = comparison.rekindle().tallies().getOrDefault(kind, Tally.NONE);
      if (!tally.equals(Tally.NONE)) {
        rows.add(
            List.of(
                "  " + kind.word(),
                "" + tally.hit(),
                "" + tally.idle(),
                "" + tally.leftOut(),
                kind.meaning()));
      }
    }
    table(rows);
    line(
        "  as they fell with Rekindle. Elsewhere: on a node that the job did not use; it is away"
            + " until its repair.");
  }

  private void assumptions() {
    Policy policy = Setups.policy(a);
    Timing timing = Setups.timing(a);
    line("");
    line("Assumptions; none of these is in the trace:");
    line(
        "  checkpoint    every %s of training, written in %s while training waits; a step takes %s"
            .formatted(
                Durations.exact(a.checkpointInterval()),
                Durations.exact(a.checkpointWrite()),
                Durations.exact(a.step())));
    line(
        "  restart       pods created at %s/s by the training operator: %s; to the rendezvous %s, checkpoint read in %s"
            .formatted(
                a.operatorRate(),
                Durations.exact(a.creation()),
                Durations.exact(a.start()),
                Durations.exact(a.load())));
    line(
        "  detection     hardware fault at once by the agent; silent node after %s and %s without steps; hang after %s;"
            .formatted(
                Durations.exact(timing.nodeGrace()),
                Durations.exact(policy.silentNode()),
                Durations.exact(policy.stall())));
    line(
        "                a process that ended is left to the kubelet for %s; lost peers are given up after %s (NCCL)"
            .formatted(Durations.exact(policy.kubeletRestart()), Durations.exact(a.collective())));
    line(
        "  limits        %s nodes fenced at one time, %s restarts in %s, %s attempts"
            .formatted(
                policy.maxFencedNodes(),
                policy.maxRestarts(),
                Durations.exact(policy.budgetWindow()),
                policy.maxAttempts()));
    line("  repair        as long as the row of the trace lasts");
    line(
        "  a person      is told %s after training stands, is at work %s later, knows the bad node at once, resumes the job"
            .formatted(Durations.exact(a.notice()), Durations.exact(a.respond())));
    line(
        "                %s after that. This is an assumption, not a measurement: see the times of response below"
            .formatted(Durations.exact(a.manualRestart())));
    line(
        "  nobody        restartPolicy OnFailure alone; the job goes on when the bad node has been"
            + " repaired");
    line(
        "  unknown       a row that does not say what failed is taken for %s; seed %s"
            .formatted(a.unknown().word(), a.seed()));
  }

  private void results() {
    line("");
    List<List<String>> rows = new ArrayList<>();
    rows.add(row("Result", r -> r.world().title()));
    rows.add(row("ETTR", r -> percent(r.ettr())));
    rows.add(row("  by the renewal formula", ReplayReport::renewal));
    rows.add(row("stops of the training", r -> "" + r.stops().size()));
    rows.add(row("mean time between stops", r -> rough(r.betweenStops())));
    rows.add(row("mean length of a stop", r -> rough(r.meanStop())));
    rows.add(row("steps that count", r -> "" + r.productive()));
    rows.add(row("steps made again", r -> "" + r.lostSteps()));
    rows.add(row("lost GPU-hours", r -> hours(r, r.wall().minus(r.productiveTime()))));
    rows.add(row("  steps made again", r -> hours(r, r.madeAgain())));
    rows.add(row("  down", r -> hours(r, r.in(State.DOWN))));
    rows.add(row("  waiting for nodes", r -> hours(r, r.in(State.SHORT_OF_NODES))));
    rows.add(row("  writing checkpoints", r -> hours(r, r.writing())));
    table(rows);
    line(
        "  ETTR: time in steps that count, over all time. A step counts once: what is made again"
            + " after a restart is lost.");
    line("  Waiting for nodes: down while fewer nodes are good than the job needs.");
  }

  private List<String> row(String what, Function<Result, String> value) {
    return List.of(
        what,
        value.apply(comparison.rekindle()),
        value.apply(comparison.person()),
        value.apply(comparison.nobody()));
  }

  private void recoveries() {
    Result r = comparison.rekindle();
    line("");
    line("Recoveries: %s".formatted(r.recoveries().size()));
    line("  by outcome  %s".formatted(counts(r.recoveries(e -> e.phase().word()))));
    line("  by cause    %s".formatted(counts(r.recoveries(e -> printable(e.reason())))));
    line("  by restarts %s".formatted(counts(r.recoveries(e -> "" + e.attempts()))));
  }

  private void causes() {
    line("");
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of("Stops by cause", "world", "stops", "until acted on", "until training", "longest"));
    for (Result r : List.of(comparison.rekindle(), comparison.person(), comparison.nobody())) {
      r.byCause()
          .forEach(
              (cause, about) ->
                  rows.add(
                      List.of(
                          cause,
                          r.world().title(),
                          "" + about.stops(),
                          rough(about.toAct()),
                          rough(about.toTrain()),
                          Durations.rough(about.longest()))));
    }
    List<List<String>> sorted = new ArrayList<>(rows.subList(1, rows.size()));
    sorted.sort((one, other) -> one.getFirst().compareTo(other.getFirst()));
    sorted.addFirst(rows.getFirst());
    table(sorted);
    line("  Means. A stop counts for the first fault since training last began.");
  }

  private void curve() {
    if (comparison.curve().isEmpty()) {
      return;
    }
    line("");
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of(
            "A person's response",
            "ETTR",
            "points lost to Rekindle",
            "GPU-hours lost to Rekindle"));
    double best = comparison.rekindle().ettr();
    for (Result r : comparison.curve()) {
      double less = best - r.ettr();
      Duration time = Duration.ofMillis(Math.round(r.wall().toMillis() * less));
      rows.add(
          List.of(
              Durations.exact(r.assumptions().respond()),
              percent(r.ettr()),
              String.format(Locale.ROOT, "%.2f", less * 100),
              hours(r, time)));
    }
    table(rows);
    line(
        "  Each after %s of notice and with %s by hand."
            .formatted(Durations.exact(a.notice()), Durations.exact(a.manualRestart())));
  }

  static String renewal(Result r) {
    Optional<Duration> between = r.betweenStops();
    Optional<Duration> stop = r.meanStop();
    return between.isEmpty() || stop.isEmpty()
        ? NONE
        : percent(
            Renewal.ettr(
                between.get(),
                stop.get(),
                r.assumptions().checkpointInterval(),
                r.assumptions().checkpointWrite()));
  }

  private static String percent(double ratio) {
    return String.format(Locale.ROOT, "%.2f %%", ratio * 100);
  }

  private static String hours(Result r, Duration time) {
    return String.format(Locale.ROOT, "%.0f", r.gpuHours(time));
  }

  private static String rough(Optional<Duration> time) {
    return time.map(Durations::rough).orElse(NONE);
  }

  private static String counts(Map<String, Integer> counts) {
    List<String> parts = new ArrayList<>();
    counts.forEach((word, count) -> parts.add(word + " " + count));
    return parts.isEmpty() ? "none" : String.join(", ", parts);
  }

  private static String printable(String text) {
    return text.replaceAll("\\P{Print}", "?");
  }

  private void table(List<List<String>> rows) {
    int columns = rows.getFirst().size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        boolean left = i == 0 || isText(rows, i);
        String pad = " ".repeat(widths[i] - row.get(i).length());
        line.append(i == 0 ? "" : "  ").append(left ? row.get(i) + pad : pad + row.get(i));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
  }

  /** Columns of words stand left, columns of figures right. */
  private static boolean isText(List<List<String>> rows, int column) {
    return rows.stream()
        .skip(1)
        .map(row -> row.get(column))
        .anyMatch(cell -> !cell.isEmpty() && Character.isLetter(cell.charAt(0)));
  }

  private void line(String words) {
    text.append(words).append('\n');
  }
}
