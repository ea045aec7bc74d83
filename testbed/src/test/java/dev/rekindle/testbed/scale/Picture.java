package dev.rekindle.testbed.scale;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Results as a picture: seconds against pods, both in powers, a line for each way. */
final class Picture {
  private static final int LEFT = 80;
  private static final int RIGHT = 700;
  private static final int TOP = 80;
  private static final int BOTTOM = 440;
  private static final int[] SECONDS = {1, 3, 10, 30, 100, 300, 1000, 3000};

  private record Line(String way, String field, String name, String color, String dash) {}

  private static final List<Line> LINES =
      List.of(
          new Line(
              "rebuild20", "total", "rebuild, operator at 20 calls/s (its default)", "#e76f51", ""),
          new Line("rebuild500", "total", "rebuild, operator at 500 calls/s", "#e9a23b", ""),
          new Line("inPlace", "total", "in place, operator at 20 calls/s", "#2a9d8f", ""),
          new Line("inPlace", "added", "in place, what the controller adds", "#2a9d8f", "6 5"));

  private final NavigableMap<Integer, Integer> columns = new TreeMap<>();
  private double most = 10;

  private Picture() {}

  /** The picture of all runs; the median where there are several of a kind. */
  static String of(List<String> runs) {
    List<JsonNode> results =
        runs.stream().map(run -> Serialization.unmarshal(run, JsonNode.class)).toList();
    return new Picture().draw(results);
  }

  private String draw(List<JsonNode> results) {
    List<Integer> sizes =
        new TreeSet<>(results.stream().map(r -> r.get("pods").asInt()).toList()).stream().toList();
    double least = Math.log(sizes.getFirst());
    double wide = Math.max(1e-9, Math.log(sizes.getLast()) - least);
    for (int size : sizes) {
      double share = sizes.size() == 1 ? 0.5 : (Math.log(size) - least) / wide;
      columns.put(size, (int) Math.round(LEFT + 40 + share * (RIGHT - LEFT - 80)));
    }
    most =
        Math.max(
            most, results.stream().mapToDouble(r -> r.get("total").asDouble()).max().orElse(0));
    StringBuilder svg = new StringBuilder();
    add(
        svg,
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 560" role="img" \
        aria-labelledby="title desc" font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#222222">
        <title id="title">From the fault until the recovery has ended, by the size of the gang</title>
        <desc id="desc">%s</desc>
        <rect width="100%%" height="100%%" fill="#ffffff"/>
        <text x="12" y="26" font-size="18" font-weight="bold">\
        From the fault until the recovery has ended, by the size of the gang</text>
        <text x="12" y="46" fill="#555555">\
        kwok nodes and stand-in agents on two shared cores; a container starts in 1 s; both axes logarithmic</text>
        """
            .formatted(described(results)));
    axes(svg, sizes);
    int row = 0;
    for (Line line : LINES) {
      row += line(svg, line, results, row) ? 1 : 0;
    }
    svg.append("</svg>\n");
    return svg.toString();
  }

  private void axes(StringBuilder svg, List<Integer> sizes) {
    for (int seconds : SECONDS) {
      if (seconds <= most * 1.5) {
        int y = y(seconds);
        add(
            svg,
            "<path d=\"M%d %dH%d\" stroke=\"#dddddd\"/><text x=\"%d\" y=\"%d\" text-anchor=\"end\">%d s</text>\n"
                .formatted(LEFT, y, RIGHT, LEFT - 8, y + 4, seconds));
      }
    }
    for (int size : sizes) {
      add(
          svg,
          "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%d</text>\n"
              .formatted(columns.get(size), BOTTOM + 20, size));
    }
    add(
        svg,
        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#555555\">pods, one on each node</text>\n"
            .formatted(RIGHT, BOTTOM + 38));
  }

  private boolean line(StringBuilder svg, Line line, List<JsonNode> results, int row) {
    NavigableMap<Integer, Double> points = points(line, results);
    if (points.isEmpty()) {
      return false;
    }
    StringBuilder path = new StringBuilder();
    points.forEach(
        (size, seconds) ->
            path.append(path.isEmpty() ? "M" : "L")
                .append(columns.get(size))
                .append(' ')
                .append(y(seconds)));
    String stroke =
        "fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s"
            .formatted(
                line.color(),
                line.dash().isEmpty() ? "" : " stroke-dasharray=\"" + line.dash() + "\"");
    add(svg, "<path d=\"%s\" %s/>\n".formatted(path, stroke));
    points.forEach(
        (size, seconds) ->
            add(
                svg,
                """
                <circle cx="%d" cy="%d" r="3" fill="%s"/>\
                <text x="%d" y="%d" text-anchor="middle" font-size="12">%s</text>
                """
                    .formatted(
                        columns.get(size),
                        y(seconds),
                        line.color(),
                        columns.get(size),
                        y(seconds) - 8,
                        seconds(seconds))));
    int y = BOTTOM + 62 + row % 2 * 22;
    int x = LEFT + row / 2 * 330;
    add(
        svg,
        "<path d=\"M%d %dh30\" %s/><text x=\"%d\" y=\"%d\">%s</text>\n"
            .formatted(x, y - 4, stroke, x + 38, y, line.name()));
    return true;
  }

  private static NavigableMap<Integer, Double> points(Line line, List<JsonNode> results) {
    Map<Integer, List<Double>> all = new TreeMap<>();
    results.stream()
        .filter(r -> r.get("way").asText().equals(line.way()) && Table.asWanted(r))
        .forEach(
            r ->
                all.computeIfAbsent(r.get("pods").asInt(), _ -> new ArrayList<>())
                    .add(r.get(line.field()).asDouble()));
    NavigableMap<Integer, Double> points = new TreeMap<>();
    all.forEach(
        (size, seconds) ->
            points.put(size, seconds.stream().sorted().toList().get(seconds.size() / 2)));
    return points;
  }

  private static String described(List<JsonNode> results) {
    List<String> parts = new ArrayList<>();
    for (Line line : LINES) {
      points(line, results)
          .forEach(
              (size, seconds) ->
                  parts.add("%s, %d pods: %s s".formatted(line.name(), size, seconds(seconds))));
    }
    return String.join("; ", parts);
  }

  private int y(double seconds) {
    double lowest = Math.log(0.5);
    double share = (Math.log(Math.max(0.5, seconds)) - lowest) / (Math.log(most * 1.3) - lowest);
    return (int) Math.round(BOTTOM - share * (BOTTOM - TOP));
  }

  private static String seconds(double seconds) {
    return String.format(Locale.ROOT, seconds < 10 ? "%.1f" : "%.0f", seconds);
  }

  private static void add(StringBuilder svg, String text) {
    svg.append(text);
  }
}
