package dev.rekindle.detect.rules;

import dev.rekindle.detect.kernel.Finding;
import dev.rekindle.detect.kernel.Source;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * All rules.
 *
 * @param silence what ends a burst on a device
 * @param sticky names such as {@code xid 79} that keep an incident open
 * @param stickyWindow for how long
 * @param repeatBursts bursts of whatever errors on one device that fence
 * @param repeatWindow within how long
 * @param reboots reboots after which an error that returns is no matter of a reboot
 * @param rebootWindow within how long
 * @param catalogue the threshold of codes that the catalogue gives one, and no rule
 * @param rules the rules; the first that fits decides
 */
public record Rules(
    Duration silence,
    Set<String> sticky,
    Duration stickyWindow,
    int repeatBursts,
    Duration repeatWindow,
    int reboots,
    Duration rebootWindow,
    Threshold catalogue,
    List<Rule> rules) {
  /** Immutable copies. */
  public Rules {
    sticky = Set.copyOf(sticky);
    rules = List.copyOf(rules);
  }

  /** The rules that ship with this version. */
  public static Rules shipped() {
    try (var data = Rules.class.getResourceAsStream("rules.yaml")) {
      if (data == null) {
        throw new IllegalStateException("rules.yaml is missing from the jar");
      }
      return RulesReader.complete(
          "rules.yaml", new String(data.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * These rules with those of a text laid over them.
   *
   * @param file what to call the text in messages
   * @param yaml the text
   * @throws IllegalArgumentException naming file, line and field, and what is wrong
   */
  public Rules with(String file, String yaml) {
    return RulesReader.over(this, file, yaml);
  }

  /** The rules about a code of a source, in their order. */
  public List<Rule> about(Source source, String code) {
    return rules.stream().filter(rule -> rule.isAbout(source, code)).toList();
  }

  /** The rule that decides; empty where the catalogue does. */
  Optional<Rule> find(Finding finding) {
    return rules.stream().filter(rule -> rule.fits(finding)).findFirst();
  }

  /** How far back incidents matter to any rule. */
  Duration longestWindow() {
    var longest =
        repeatWindow.compareTo(catalogue.window()) > 0 ? repeatWindow : catalogue.window();
    for (var rule : rules) {
      if (rule.fence().isPresent() && rule.fence().get().window().compareTo(longest) > 0) {
        longest = rule.fence().get().window();
      }
    }
    return longest;
  }
}
