package dev.rekindle.simulator.replay;

import dev.rekindle.simulator.replay.Timeline.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A comparison as a picture: what the job did in each world, the faults, and how many nodes were
 * out, over the days of the trace. Time is cut into as many slices as the picture has room for, so
 * that its size does not grow with the trace.
 */
final class TimelineSvg {
  private static final int WIDTH = 1200;
  private static final int LEFT = 170;
  private static final int SLICE = 2;
  private static final int SLICES = 500;
  private static final int RIGHT = LEFT + SLICES * SLICE;
  private static final int BAR = 64;
  private static final int TICK = 18;
  private static final int AREA = 90;
  private static final int GAP = 22;
  private static final int MOST_DAY_MARKS = 12;

  private static final String TRAINING = "#2a9d8f";
  private static final String DOWN = "#d55e00";
  private static final String SHORT = "#8a8a8a";
  private static final String HIT = "#222222";
  private static final String ELSEWHERE = "#b8b8b8";
  private static final String OUT = "#c9b8dd";
  private static final String OUT_EDGE = "#6a4c93";
  private static final double[] NOTHING = new double[SLICES];

  private final Comparison comparison;
  private final Duration wall;
  private final StringBuilder svg = new StringBuilder();
  private int y = 64;

  private TimelineSvg(Comparison comparison) {
    this.comparison = comparison;
    this.wall = comparison.plan().wall();
  }

  static String of(Comparison comparison) {
    TimelineSvg timeline = new TimelineSvg(comparison);
    timeline.rows();
    return timeline.head() + timeline.svg + "</svg>\n";
  }

  private String head() {
    Assumptions a = comparison.plan().assumptions();
    String title =
        "%s: %s days, a job on %s of %s nodes"
            .formatted(
                escape(comparison.plan().name()),
                number(Outage.days(wall)),
                a.jobNodes(),
                a.fleet());
    String subtitle =
        "checkpoint every %s; a person is told after %s, at work %s later, resumes the job %s after that"
            .formatted(
                Durations.exact(a.checkpointInterval()),
                Durations.exact(a.notice()),
                Durations.exact(a.respond()),
                Durations.exact(a.manualRestart()));
    return """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" role="img" aria-labelledby="title desc" \
    font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#222222">
    <title id="title">%s</title>
    <desc id="desc">%s</desc>
    <rect width="100%%" height="100%%" fill="#ffffff"/>
    <text x="12" y="26" font-size="18" font-weight="bold">%s</text>
    <text x="12" y="46" fill="#555555">%s</text>
    """
        .formatted(WIDTH, y, title, description(), title, subtitle);
  }

  private String description() {
    return "ETTR %s with Rekindle, %s with a person, %s with nobody. Below: faults by kind, and nodes out at one time, over the days of the trace."
        .formatted(
            percent(comparison.rekindle()),
            percent(comparison.person()),
            percent(comparison.nobody()));
  }

  private void rows() {
    world(comparison.rekindle());
    world(comparison.person());
    world(comparison.nobody());
    faults();
    nodesOut();
    days();
    legend();
  }

  private void world(Result result) {
    label(y + 28, result.world().title());
    small(y + 46, "ETTR " + percent(result));
    Map<State, double[]> shares = shares(result.pieces());
    double[] down = shares.getOrDefault(State.DOWN, NOTHING);
    rect(LEFT, y, RIGHT - LEFT, BAR, TRAINING);
    bars(down, NOTHING, DOWN);
    bars(shares.getOrDefault(State.SHORT_OF_NODES, NOTHING), down, SHORT);
    y += BAR + GAP;
  }

  /** Shares hang from the top of the bar, below what hangs there already. */
  private void bars(double[] shares, double[] above, String colour) {
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < SLICES; ) {
      int from = i;
      while (i < SLICES && same(shares, from, i) && same(above, from, i)) {
        i++;
      }
      if (shares[from] > 0) {
        path.append(
            "M%s %sh%sv%sh%sz"
                .formatted(
                    LEFT + from * SLICE,
                    number(y + above[from] * BAR),
                    (i - from) * SLICE,
                    number(shares[from] * BAR),
                    -(i - from) * SLICE));
      }
    }
    path(path, "fill=\"" + colour + "\"");
  }

  private static boolean same(double[] values, int one, int other) {
    return Double.compare(values[one], values[other]) == 0;
  }

  /** Of each slice of time the share in each state. */
  private Map<State, double[]> shares(List<Timeline.Piece> pieces) {
    Map<State, double[]> shares = new EnumMap<>(State.class);
    for (Timeline.Piece piece : pieces) {
      double[] share = shares.computeIfAbsent(piece.state(), state -> new double[SLICES]);
      double start = slice(piece.start());
      double end = slice(piece.end());
      for (int i = (int) start; i < Math.min(SLICES, Math.ceil(end)); i++) {
        share[i] = Math.min(1, share[i] + Math.max(0, Math.min(end, i + 1) - Math.max(start, i)));
      }
    }
    return shares;
  }

  private double slice(Duration at) {
    return wall.isZero() ? 0 : (double) at.toMillis() / wall.toMillis() * SLICES;
  }

  private void faults() {
    Map<FaultKind, boolean[]> rows = new EnumMap<>(FaultKind.class);
    FaultKind unknown = comparison.plan().assumptions().unknown();
    for (Outage outage : comparison.plan().trace().outages()) {
      int at = Math.min(SLICES - 1, (int) slice(outage.start()));
      rows.computeIfAbsent(FaultKinds.of(outage, unknown), k -> new boolean[SLICES])[at] = true;
    }
    rows.forEach(
        (kind, slices) -> {
          small(y + 12, kind.word());
          StringBuilder path = new StringBuilder();
          for (int i = 0; i < SLICES; i++) {
            if (slices[i]) {
              path.append("M%s %sv%s".formatted(LEFT + i * SLICE + 1, y, TICK - 4));
            }
          }
          rect(LEFT, y + TICK - 4, RIGHT - LEFT, 1, ELSEWHERE);
          path(path, "stroke=\"" + HIT + "\" stroke-width=\"1.5\" fill=\"none\"");
          y += TICK;
        });
    y += GAP - 4;
  }

  private void nodesOut() {
    int[] most = mostOut();
    int spares = comparison.plan().assumptions().spares();
    int top = spares;
    for (int count : most) {
      top = Math.max(top, count);
    }
    double scale = top == 0 ? 0 : (double) AREA / top;
    label(y + 28, "nodes out");
    small(y + 46, "most at one time: " + Arrays.stream(most).max().orElse(0));
    StringBuilder path = new StringBuilder("M" + LEFT + " " + (y + AREA));
    for (int i = 0; i < SLICES; ) {
      int from = i;
      while (i < SLICES && most[i] == most[from]) {
        i++;
      }
      path.append("V%sH%s".formatted(number(y + AREA - most[from] * scale), LEFT + i * SLICE));
    }
    path.append("V%sz".formatted(y + AREA));
    path(path, "fill=\"" + OUT + "\" stroke=\"" + OUT_EDGE + "\" stroke-width=\"0.7\"");
    String line = number(y + AREA - spares * scale);
    svg.append(
        "<path d=\"M%s %sH%s\" stroke=\"%s\" stroke-dasharray=\"5 4\" fill=\"none\"/>\n"
            .formatted(LEFT, line, RIGHT, HIT));
    text(
        "" + RIGHT,
        number(y + AREA - spares * scale - 4),
        " text-anchor=\"end\"",
        "%s spare".formatted(spares));
    y += AREA;
  }

  /** Of each slice of time the most nodes that were out at once. */
  private int[] mostOut() {
    FaultKind unknown = comparison.plan().assumptions().unknown();
    TreeMap<Duration, Integer> turns = new TreeMap<>();
    for (Outage outage : comparison.plan().trace().outages()) {
      if (FaultKinds.of(outage, unknown).takesNode()) {
        turns.merge(outage.start(), 1, Integer::sum);
        turns.merge(outage.end(), -1, Integer::sum);
      }
    }
    int[] most = new int[SLICES];
    int slice = 0;
    int out = 0;
    for (Map.Entry<Duration, Integer> turn : turns.entrySet()) {
      int at = (int) slice(turn.getKey());
      while (slice < Math.min(at, SLICES - 1)) {
        most[++slice] = out;
      }
      out += turn.getValue();
      if (at < SLICES) {
        most[slice] = Math.max(most[slice], out);
      }
    }
    while (slice < SLICES - 1) {
      most[++slice] = out;
    }
    return most;
  }

  private void days() {
    double days = Outage.days(wall);
    double step = 1;
    for (double[] ten = {1, 2, 5}; days / step > MOST_DAY_MARKS; ) {
      double power = Math.pow(10, Math.floor(Math.log10(step)));
      double lead = Math.rint(step / power);
      step = lead < ten[1] ? 2 * power : lead < ten[2] ? 5 * power : 10 * power;
    }
    rect(LEFT, y, RIGHT - LEFT, 1, HIT);
    for (double day = 0; day <= days; day += step) {
      double x = LEFT + (days == 0 ? 0 : day / days * (RIGHT - LEFT));
      svg.append("<path d=\"M%s %sv6\" stroke=\"%s\"/>".formatted(number(x), y, HIT));
      text(number(x), "" + (y + 20), " text-anchor=\"middle\"", number(day));
    }
    text(LEFT - 12, "" + (y + 20), " text-anchor=\"end\"", "day");
    y += 20 + GAP;
  }

  private void legend() {
    List<String[]> entries = new ArrayList<>();
    entries.add(new String[] {TRAINING, "trains"});
    entries.add(new String[] {DOWN, "down"});
    entries.add(new String[] {SHORT, "down, and fewer nodes are good than the job needs"});
    entries.add(new String[] {HIT, "a fault begins"});
    entries.add(new String[] {OUT, "nodes out for repair, dashed: spare nodes"});
    int x = LEFT;
    for (String[] entry : entries) {
      rect(x, y, 14, 14, entry[0]);
      text(x + 20, "" + (y + 12), "", entry[1]);
      x += 44 + (int) (entry[1].length() * 6.4);
    }
    text(
        LEFT,
        "" + (y + 36),
        " fill=\"#555555\"",
        "Each slice of the picture stands for %s; the height of a colour is its share of that time."
            .formatted(Durations.rough(wall.dividedBy(SLICES))));
    y += 52;
  }

  private void label(int baseline, String words) {
    text(12, "" + baseline, " font-weight=\"bold\"", words);
  }

  private void small(int baseline, String words) {
    text(12, "" + baseline, " fill=\"#555555\"", words);
  }

  private void text(int x, String baseline, String attributes, String words) {
    text("" + x, baseline, attributes, words);
  }

  private void text(String x, String baseline, String attributes, String words) {
    svg.append(
        "<text x=\"%s\" y=\"%s\"%s>%s</text>\n".formatted(x, baseline, attributes, escape(words)));
  }

  private void rect(int x, int top, int width, int height, String colour) {
    svg.append(
        "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\"/>\n"
            .formatted(x, top, width, height, colour));
  }

  private void path(CharSequence d, String attributes) {
    if (!d.isEmpty()) {
      svg.append("<path d=\"").append(d).append("\" ").append(attributes).append("/>\n");
    }
  }

  private static String percent(Result result) {
    return String.format(Locale.ROOT, "%.2f %%", result.ettr() * 100);
  }

  /** At most two digits after the point. */
  static String number(double value) {
    String text = String.format(Locale.ROOT, "%.2f", value);
    return text.replaceAll("\\.?0+$", "");
  }

  /** Text that is only text in XML, whatever was in it. */
  static String escape(String text) {
    return text.replaceAll("[^\\x20-\\x7E\\u00A0-\\uD7FF]", "?")
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
