package dev.rekindle.charts;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The list of values in the chart's README, made from the {@code # --} comments of values.yaml. */
final class ValuesList {
  private static final String BEGIN = "<!-- values: begin, written by the build -->\n";
  private static final String END = "<!-- values: end -->";
  private static final Pattern KEY = Pattern.compile("^( *)([A-Za-z]+):");

  private ValuesList() {}

  static String replaceIn(String readme, String values) {
    int begin = readme.indexOf(BEGIN) + BEGIN.length();
    return readme.substring(0, begin) + list(values) + readme.substring(readme.indexOf(END));
  }

  private static String list(String values) {
    JsonNode root = Serialization.unmarshal(values, JsonNode.class);
    StringBuilder list = new StringBuilder("\n");
    Deque<String> path = new ArrayDeque<>();
    List<String> comment = new ArrayList<>();
    for (String line : values.lines().toList()) {
      String text = line.strip();
      Matcher key = KEY.matcher(line);
      if (text.startsWith("# --")) {
        comment.add(text.substring(4).strip());
      } else if (text.startsWith("# ") && !comment.isEmpty()) {
        comment.add(text.substring(2).strip());
      } else if (key.find()) {
        int depth = key.group(1).length() / 2;
        while (path.size() > depth) {
          path.removeLast();
        }
        path.addLast(key.group(2));
        if (!comment.isEmpty()) {
          JsonNode value = root.at("/" + String.join("/", path));
          String what = String.join(" ", comment);
          String item = "`%s` (`%s`): %s".formatted(String.join(".", path), value, what);
          list.append(Wrapped.item(item)).append('\n');
          comment.clear();
        }
      }
    }
    return list.append('\n').toString();
  }
}
