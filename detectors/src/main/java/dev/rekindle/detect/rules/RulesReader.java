package dev.rekindle.detect.rules;

import dev.rekindle.api.RepairAction;
import dev.rekindle.detect.kernel.Finding;
import dev.rekindle.detect.kernel.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads rules from YAML and says where it is wrong. */
final class RulesReader {
  /** As much as a ConfigMap of a sensible size. */
  private static final int LONGEST = 256 * 1024;

  private static final int MOST_RULES = 1000;

  private static final Set<String> TOP = Set.of("rules");

  /** Thresholds, which stood here before: fields of a file, and one of a rule. */
  private static final Set<String> WEIGHED =
      Set.of("burst", "sticky", "repeat", "reboots", "catalogue");

  private static final String ELSEWHERE =
      "is no matter of rules: the controller weighs what comes again, by thresholds of its own";

  private static final Set<String> RULE =
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

  private RulesReader() {}

  /** Rules that stand for themselves. */
  static Rules complete(String file, String yaml) {
    return new Rules(
        rules(
            top(file, yaml)
                .orElseThrow(() -> new IllegalArgumentException(file + ": holds no rules"))));
  }

  /**
   * Rules applied before others: what the text does not name stays. A text with nothing but
   * comments, and an empty map, as the chart writes where no rules are set, change nothing.
   */
  static Rules over(Rules base, String file, String yaml) {
    var rules = top(file, yaml).filter(top -> !top.isEmpty()).map(RulesReader::rules);
    return rules.isPresent() ? over(base, rules.get()) : base;
  }

  private static Rules over(Rules base, List<Rule> rules) {
    Set<String> names = new HashSet<>();
    rules.forEach(rule -> names.add(rule.name()));
    List<Rule> all = new ArrayList<>(rules);
    base.rules().stream().filter(rule -> !names.contains(rule.name())).forEach(all::add);
    return new Rules(all);
  }

  private static Optional<YamlMap> top(String file, String yaml) {
    if (yaml.length() > LONGEST) {
      throw new IllegalArgumentException(
          file + ": longer than " + LONGEST / 1024 + " KiB, which is no file of rules");
    }
    Optional<Node> root;
    try {
      var settings =
          LoadSettings.builder().setUseMarks(true).setMaxAliasesForCollections(20).build();
      root = new Compose(settings).composeString(yaml);
    } catch (StackOverflowError e) {
      throw new IllegalArgumentException(file + ": no YAML: nested too deeply", e);
    } catch (YamlEngineException e) {
      throw new IllegalArgumentException(
          file + ": no YAML: " + String.valueOf(e.getMessage()).replaceAll("\\s+", " ").strip(), e);
    }
    if (root.isEmpty()) {
      return Optional.empty();
    }
    var top = new YamlMap(file, "", root.get());
    for (var field : WEIGHED) {
      if (top.has(field)) {
        throw top.wrong(field, ELSEWHERE);
      }
    }
    top.only(TOP);
    return Optional.of(top);
  }

  /** Names such as {@code xid 79} from lists of codes by their source. */
  private static Set<String> names(YamlMap map) {
    Set<String> names = new LinkedHashSet<>();
    for (var source : Source.values()) {
      if (map.has(source.word())) {
        for (var code : map.texts(source.word())) {
          var one = codes(map, source, code);
          if (!one.first().equals(one.last())) {
            throw map.wrong(source.word(), "has '" + code + "'; it takes single codes");
          }
          names.add(source.word() + " " + one.first());
        }
      }
    }
    if (names.isEmpty()) {
      throw map.wrong("names no code");
    }
    return names;
  }

  private static List<Rule> rules(YamlMap top) {
    List<Rule> rules = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (var map : top.maps("rules")) {
      var rule = rule(map);
      if (!names.add(rule.name())) {
        throw map.wrong("name", "'" + rule.name() + "' is taken by another rule");
      }
      if (rules.size() >= MOST_RULES) {
        throw map.wrong("is one too many: more than " + MOST_RULES + " rules");
      }
      rules.add(rule);
    }
    return rules;
  }

  private static Rule rule(YamlMap map) {
    if (map.has("fence")) {
      throw map.wrong("fence", ELSEWHERE);
    }
    map.only(RULE);
    var name = map.text("name");
    if (!name.matches("[a-z0-9]([-a-z0-9.]{0,62}[a-z0-9])?")) {
      throw map.wrong("name", "'" + name + "' is no name such as off-the-bus");
    }
    var source = source(map);
    return new Rule(
        name,
        source,
        codes(map, source),
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

  private static Source source(YamlMap map) {
    var named = Arrays.stream(Source.values()).filter(source -> map.has(source.word())).toList();
    if (named.size() != 1) {
      throw map.wrong(
          "names "
              + (named.isEmpty() ? "no source" : "more than one source")
              + "; it takes one of "
              + Source.words());
    }
    return named.getFirst();
  }

  private static List<Rule.Codes> codes(YamlMap map, Source source) {
    var field = source.word();
    if (map.isText(field)) {
      if (map.text(field).equals("all")) {
        return List.of();
      }
      throw map.wrong(field, "is neither a list of codes nor all");
    }
    return map.texts(field).stream().map(code -> codes(map, source, code)).toList();
  }

  private static Rule.Codes codes(YamlMap map, Source source, String text) {
    if (source != Source.XID && source != Source.SXID) {
      if (!text.matches("[a-z][-a-z0-9]{0,40}")) {
        throw map.wrong(source.word(), "has '" + text + "', which is no word such as health-lost");
      }
      return new Rule.Codes(text, text);
    }
    if (!text.matches("\\d{1,9}(-\\d{1,9})?")) {
      throw map.wrong(source.word(), "has '" + text + "', which is neither 79 nor 144-150");
    }
    var dash = text.indexOf('-');
    var first = String.valueOf(Integer.parseInt(dash < 0 ? text : text.substring(0, dash)));
    var last = dash < 0 ? first : String.valueOf(Integer.parseInt(text.substring(dash + 1)));
    if (Integer.parseInt(first) > Integer.parseInt(last)) {
      throw map.wrong(source.word(), "has '" + text + "', which ends before it begins");
    }
    return new Rule.Codes(first, last);
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
        names(map), window(map, "within"), same(map), verdict(map), map.text("because", ""));
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
