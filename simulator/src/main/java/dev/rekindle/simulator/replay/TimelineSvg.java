package dev.rekindle.simulator.replay;

import dev.rekindle.simulator.replay.Timeline.Piece;
import dev.rekindle.simulator.replay.Timeline.State;
import gg.jte.html.escape.Escape;
import gg.jte.output.StringOutput;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * A comparison as a picture: what the job did in each world, the faults, and how many nodes were
 * out, over the days of the trace. Time is cut into as many slices as the picture has room for, so
 * that its size does not grow with the trace. The picture is a template; this has its figures.
 */
final class TimelineSvg {
  /** Height of the bar of a world. */
  static final int BAR = 64;

  /** Height of the drawing of nodes out. */
  static final int AREA = 90;

  private static final int LEFT = 170;
  private static final int SLICE = 2;
  private static final int SLICES = 500;
  private static final int MOST_DAY_MARKS = 12;

  final Comparison comparison;

  /** Of each kind the slices in which a fault begins. */
  final Map<FaultKind, BitSet> faults = new EnumMap<>(FaultKind.class);

  /** Of each slice the most nodes that were out at once. */
  private final int[] out = new int[SLICES];

  private final Plan plan;

  private TimelineSvg(Comparison comparison) {
    this.comparison = comparison;
    this.plan = comparison.plan();
    NavigableMap<Duration, Integer> turns = new TreeMap<>();
    for (Outage outage : plan.trace().outages()) {
      FaultKind kind = FaultKind.of(outage, plan.options().job.unknown);
      int at = Math.min(SLICES - 1, (int) slice(outage.start()));
      faults.computeIfAbsent(kind, _ -> new BitSet()).set(at);
      if (kind.takesNode) {
        turns.merge(outage.start(), 1, Integer::sum);
        turns.merge(outage.end(), -1, Integer::sum);
      }
    }
    int from = 0;
    int now = 0;
    for (Map.Entry<Duration, Integer> turn : turns.headMap(plan.wall(), false).entrySet()) {
      int at = (int) slice(turn.getKey());
      Arrays.fill(out, from + 1, at + 1, now);
      from = at;
      now += turn.getValue();
      out[at] = Math.max(out[at], now);
    }
    Arrays.fill(out, from + 1, SLICES, now);
  }

  static String of(Comparison comparison) {
    return ReplayReport.render("timeline.jte", new TimelineSvg(comparison));
  }

  /** How many slices have passed by then. */
  private double slice(Duration at) {
    return plan.share(at) * SLICES;
  }

  /** Time that a slice stands for. */
  String slice() {
    return Durations.rough(plan.wall().dividedBy(SLICES));
  }

  /**
   * Of each slice the share of a state, as a path. Shares hang from the top of the bar, those of
   * time without enough nodes below those of the rest of the time down.
   */
  String bars(Result result, int top, State state) {
    double[] shares = shares(result, state);
    double[] above = state == State.DOWN ? new double[SLICES] : shares(result, State.DOWN);
    StringBuilder path = new StringBuilder();
    int from = 0;
    for (int to : ends(i -> List.of(shares[i], above[i]))) {
      int width = (to - from) * SLICE;
      if (shares[from] > 0) {
        path.append("M%s %s".formatted(LEFT + from * SLICE, number(top + above[from] * BAR)))
            .append("h%sv%sh%sz".formatted(width, number(shares[from] * BAR), -width));
      }
      from = to;
    }
    return path.toString();
  }

  /** Where runs of slices with the same figures end: the slice after each. */
  private static int[] ends(IntFunction<Object> figures) {
    return IntStream.rangeClosed(1, SLICES)
        .filter(i -> i == SLICES || !figures.apply(i).equals(figures.apply(i - 1)))
        .toArray();
  }

  private double[] shares(Result result, State state) {
    double[] share = new double[SLICES];
    for (Piece piece : result.account().pieces()) {
      double start = slice(piece.start());
      double end = slice(piece.end());
      for (int i = (int) start; piece.state() == state && i < Math.min(SLICES, end); i++) {
        share[i] = Math.min(1, share[i] + Math.max(0, Math.min(end, i + 1) - Math.max(start, i)));
      }
    }
    return share;
  }

  /** A mark for each slice in which a fault begins. */
  String marks(BitSet slices, int top) {
    StringBuilder path = new StringBuilder();
    slices.stream().forEach(i -> path.append("M%s %sv14".formatted(LEFT + i * SLICE + 1, top)));
    return path.toString();
  }

  int mostOut() {
    return Arrays.stream(out).max().orElse(0);
  }

  /** The height at which so many nodes are drawn. */
  double level(int top, int nodes) {
    int most = Math.max(mostOut(), plan.spares());
    return most == 0 ? top + AREA : top + AREA - nodes * ((double) AREA / most);
  }

  String nodesOut(int top) {
    StringBuilder path = new StringBuilder("M%s %s".formatted(LEFT, top + AREA));
    for (int to : ends(i -> out[i])) {
      path.append("V%sH%s".formatted(number(level(top, out[to - 1])), LEFT + to * SLICE));
    }
    return path.append("V%sz".formatted(top + AREA)).toString();
  }

  /** Days at which the axis has a mark: few, and round numbers. */
  double[] dayMarks() {
    double days = Durations.days(plan.wall());
    double step = 1;
    for (int i = 0; days / step > MOST_DAY_MARKS; i++) {
      step *= i % 3 == 1 ? 2.5 : 2;
    }
    double apart = step;
    return DoubleStream.iterate(0, day -> day <= days, day -> day + apart).toArray();
  }

  double xOf(double day) {
    double days = Durations.days(plan.wall());
    return LEFT + (days == 0 ? 0 : day / days * (SLICES * SLICE));
  }

  /** At most two digits after the point. */
  static String number(double value) {
    return Durations.rounded(value, 2).replaceAll("\\.?0+$", "");
  }

  /** Text that is only text in XML, whatever was in it. */
  static String escape(String text) {
    StringOutput escaped = new StringOutput();
    Escape.htmlContent(text.replaceAll("[^\\x20-\\x7E\\u00A0-\\uD7FF]", "?"), escaped);
    return escaped.toString();
  }
}
