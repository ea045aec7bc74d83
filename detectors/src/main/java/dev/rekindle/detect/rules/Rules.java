package dev.rekindle.detect.rules;

import dev.rekindle.detect.kernel.Finding;
import dev.rekindle.detect.kernel.Source;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * All rules.
 *
 * @param rules the rules; the first that fits decides
 */
public record Rules(List<Rule> rules) {
  /** An immutable copy. */
  public Rules {
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
   * These rules with those of a text applied before them.
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
}
