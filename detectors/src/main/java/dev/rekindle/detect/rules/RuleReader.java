package dev.rekindle.detect.rules;

import dev.rekindle.api.RepairAction;
import dev.rekindle.detect.kernel.Finding;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Reads one rule. */
final class RuleReader {
  /** Of a field with thresholds. */
  static final String ELSEWHERE =
      "is no matter of rules: the controller weighs what comes again, by thresholds of its own";

  private static final Set<String> FIELDS =
      Set.of(
          "name",
          "xid",
          "sxid",
          "mlx5",
          "segfault",
          "reset",
          "nvrm",
          "pcie",
          "machine",
          "nvme",
          "filesystem",
          "mark",
          "verdict",
          "after",
          "repeats",
          "clears",
          "action",
          "because");

  /** Marks that findings carry; a misspelt one would never fit. */
  private static final Set<String> MARKS =
      Set.of(
          "twin",
          "contained",
          "uncontained",
          "reset",
          "drain-and-reset",
          "ecc",
          "mechanical",
          "signal",
          "repeated",
          "threshold",
          "secondary",
          "harmless",
          "unknown",
          "fatal",
          "nonfatal",
          "correctable",
          "untagged",
          "none",
          "reset-gpu",
          "reboot-node",
          "drain-p2p",
          "recover-imex",
          "host",
          Finding.GPU,
          Finding.NIC,
          Finding.OTHER);

  private RuleReader() {}

  /** The rule that a map holds; throws what is wrong with it. */
  static Rule read(YamlMap map) {
    if (map.has("fence")) {
      throw map.wrong("fence", ELSEWHERE);
    }
    map.only(FIELDS);
    var name = map.text("name");
    if (!name.matches("[a-z0-9]([-a-z0-9.]{0,62}[a-z0-9])?")) {
      throw map.wrong("name", "'" + name + "' is no name such as off-the-bus");
    }
    var source = RuleCodes.source(map);
    return new Rule(
        name,
        source,
        RuleCodes.read(map, source),
        marks(map),
        map.has("verdict") ? Optional.of(verdict(map)) : Optional.empty(),
        map.has("after") ? Optional.of(after(map.map("after"))) : Optional.empty(),
        map.optionalFlag("repeats"),
        map.has("clears") && map.flag("clears"),
        action(map),
        map.text("because", ""));
  }

  private static List<String> marks(YamlMap map) {
    var marks = map.has("mark") ? map.texts("mark") : List.<String>of();
    for (var mark : marks) {
      if (!MARKS.contains(mark)) {
        throw map.wrong(
            "mark",
            "has '"
                + mark
                + "', not one of "
                + String.join(", ", MARKS.stream().sorted().toList()));
      }
    }
    return marks;
  }

  private static Verdict verdict(YamlMap map) {
    return Verdict.of(map.text("verdict"))
        .orElseThrow(
            () ->
                map.wrong(
                    "verdict",
                    "is '" + map.text("verdict") + "', not ignore, watch, restart or fence"));
  }

  private static String action(YamlMap map) {
    var action = map.text("action", "");
    if (!action.isEmpty() && RepairAction.of(action).isEmpty()) {
      throw map.wrong(
          "action",
          "is '"
              + action
              + "', not one of "
              + String.join(
                  ", ",
                  Stream.of(RepairAction.values()).map(RepairAction::word).sorted().toList()));
    }
    return action;
  }

  /** What is remembered is bounded, so what a rule may request is as well. */
  private static Duration window(YamlMap map, String field) {
    var window = map.duration(field);
    if (window.toDays() > 28) {
      throw map.wrong(field, "is longer than 28 days (672h)");
    }
    return window;
  }

  private static Inhibition after(YamlMap map) {
    map.only(Set.of("xid", "sxid", "mlx5", "within", "same", "verdict", "because"));
    return new Inhibition(
        RuleCodes.names(map),
        window(map, "within"),
        same(map),
        verdict(map),
        map.text("because", ""));
  }

  private static InhibitionScope same(YamlMap map) {
    var word = map.text("same");
    for (var same : InhibitionScope.values()) {
      if (same.name().toLowerCase(Locale.ROOT).equals(word)) {
        return same;
      }
    }
    throw map.wrong("same", "is '" + word + "', not one of device, node");
  }
}
