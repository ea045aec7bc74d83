package dev.rekindle.detect.rules;

import dev.rekindle.detect.ShortDuration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** A mapping of a YAML file, read field by field; what is wrong is reported with its line. */
final class YamlMap {
  private static final int LONGEST = 300;

  private final String file;
  private final String path;
  private final Node node;
  private final Map<String, Node> fields = new LinkedHashMap<>();
  private final Map<String, Node> keys = new HashMap<>();

  YamlMap(String file, String path, Node node) {
    this.file = file;
    this.path = path;
    this.node = node;
    if (!(node instanceof MappingNode mapping)) {
      throw wrong(node, "is not a mapping");
    }
    for (var entry : mapping.getValue()) {
      if (!(entry.getKeyNode() instanceof ScalarNode key)) {
        throw wrong(entry.getKeyNode(), "has a key that is no word");
      }
      if (fields.put(key.getValue(), entry.getValueNode()) != null) {
        throw wrong(key, "names " + key.getValue() + " twice");
      }
      keys.put(key.getValue(), key);
    }
  }

  /** The message for something wrong here. */
  private IllegalArgumentException wrong(Node where, String what) {
    return wrong(where, "", what);
  }

  private IllegalArgumentException wrong(Node where, String field, String what) {
    var line = where.getStartMark().map(mark -> ":" + (mark.getLine() + 1)).orElse("");
    var full = path.isEmpty() || field.isEmpty() ? path + field : path + "." + field;
    return new IllegalArgumentException(
        file + line + ": " + (full.isEmpty() ? "the file" : full) + " " + what);
  }

  IllegalArgumentException wrong(String what) {
    return wrong(node, what);
  }

  IllegalArgumentException wrong(String field, String what) {
    return wrong(fields.getOrDefault(field, node), field, what);
  }

  /** Refuses every field but these: a misspelt one must not go unnoticed. */
  void only(Set<String> known) {
    for (var key : keys.entrySet()) {
      if (!known.contains(key.getKey())) {
        throw wrong(
            key.getValue(),
            "has an unknown field "
                + key.getKey()
                + "; known are "
                + String.join(", ", known.stream().sorted().toList()));
      }
    }
  }

  boolean isEmpty() {
    return fields.isEmpty();
  }

  boolean has(String field) {
    return fields.containsKey(field);
  }

  boolean isText(String field) {
    return fields.get(field) instanceof ScalarNode;
  }

  private Node get(String field) {
    var value = fields.get(field);
    if (value == null) {
      throw wrong("lacks " + field);
    }
    return value;
  }

  YamlMap map(String field) {
    return new YamlMap(file, path.isEmpty() ? field : path + "." + field, get(field));
  }

  List<YamlMap> maps(String field) {
    if (!(get(field) instanceof SequenceNode list)) {
      throw wrong(field, "is not a list");
    }
    List<YamlMap> maps = new ArrayList<>();
    for (var element : list.getValue()) {
      maps.add(new YamlMap(file, field + "[" + maps.size() + "]", element));
    }
    return maps;
  }

  String text(String field) {
    if (!(get(field) instanceof ScalarNode scalar)) {
      throw wrong(field, "is not a text");
    }
    if (scalar.getValue().length() > LONGEST) {
      throw wrong(field, "is longer than " + LONGEST + " characters");
    }
    return scalar.getValue();
  }

  String text(String field, String otherwise) {
    return has(field) ? text(field) : otherwise;
  }

  List<String> texts(String field) {
    if (!(get(field) instanceof SequenceNode list)) {
      throw wrong(field, "is not a list");
    }
    List<String> texts = new ArrayList<>();
    for (var element : list.getValue()) {
      if (!(element instanceof ScalarNode scalar) || scalar.getValue().isEmpty()) {
        throw wrong(field, "has an element that is no word");
      }
      texts.add(scalar.getValue());
    }
    if (texts.isEmpty()) {
      throw wrong(field, "is empty");
    }
    return texts;
  }

  int number(String field, int least, int most) {
    var text = text(field);
    if (text.matches("\\d{1,9}")) {
      var number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    }
    throw wrong(field, "is '" + text + "', not a number from " + least + " to " + most);
  }

  boolean flag(String field) {
    return switch (text(field)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw wrong(field, "is '" + text(field) + "', neither true nor false");
    };
  }

  Optional<Boolean> optionalFlag(String field) {
    return has(field) ? Optional.of(flag(field)) : Optional.empty();
  }

  Duration duration(String field) {
    try {
      var duration = ShortDuration.parse(text(field));
      if (!duration.isZero()) {
        return duration;
      }
    } catch (IllegalArgumentException e) {
      throw wrong(field, "is " + e.getMessage());
    }
    throw wrong(field, "is zero");
  }
}
