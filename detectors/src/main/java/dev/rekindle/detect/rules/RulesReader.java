package dev.rekindle.detect.rules;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
        throw top.wrong(field, RuleReader.ELSEWHERE);
      }
    }
    top.only(TOP);
    return Optional.of(top);
  }

  private static List<Rule> rules(YamlMap top) {
    List<Rule> rules = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (var map : top.maps("rules")) {
      var rule = RuleReader.read(map);
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
}
