package dev.rekindle.detect.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.detect.kernel.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RulesTest {
  private static final Rules SHIPPED = Rules.shipped();
  private static final String RULE = "rules:\\n- {name: mine, xid: [79], verdict: watch}";

  @TempDir Path directory;

  private static Rules over(String yaml) {
    return SHIPPED.with("my.yaml", yaml.replace("\\n", "\n"));
  }

  @Test
  void shouldAskARuleOfTheFileBeforeOurs() {
    var rules = over(RULE);
    assertThat(rules.about(Source.XID, "79").getFirst().name()).isEqualTo("mine");
    assertThat(rules.rules()).hasSize(SHIPPED.rules().size() + 1);
  }

  @Test
  void shouldTakeTheFilesRuleInPlaceOfOursWhenItHasTheSameName() {
    var rules = over("rules:\\n- {name: off-the-bus-again, xid: [79], verdict: watch}");
    assertThat(rules.rules()).hasSize(SHIPPED.rules().size());
    assertThat(rules.about(Source.XID, "79").getFirst().verdict()).contains(Verdict.WATCH);
  }

  @Test
  void shouldDistinguishRangesFromCodes() {
    var rules = over("rules:\\n- {name: a, xid: [144-150, 7], verdict: ignore}").rules();
    assertThat(List.of("144", "147", "150", "7"))
        .allMatch(code -> rules.getFirst().isAbout(Source.XID, code));
    assertThat(List.of("143", "151", "70", "14"))
        .noneMatch(code -> rules.getFirst().isAbout(Source.XID, code));
    assertThat(rules.getFirst().isAbout(Source.SXID, "144")).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "rules: 5|my.yaml:1: rules is not a list",
        "rules:\\n- 5|my.yaml:2: rules[0] is not a mapping",
        "rules:\\n- {xid: [79]}|my.yaml:2: rules[0] lacks name",
        "rules:\\n- {name: A b, xid: [79]}|my.yaml:2: rules[0].name 'A b' is no name",
        "rules:\\n- {name: a}|my.yaml:2: rules[0] names no source",
        "rules:\\n- {name: a, xid: [1], sxid: [2]}|names more than one source",
        "rules:\\n- {name: a, xid: [many]}|my.yaml:2: rules[0].xid has 'many', which is neither 79",
        "rules:\\n- {name: a, xid: [150-144]}|ends before it begins",
        "rules:\\n- {name: a, xid: some}|neither a list of codes nor all",
        "rules:\\n- {name: a, xid: []}|my.yaml:2: rules[0].xid is empty",
        "rules:\\n- {name: a, mlx5: [79]}|no word such as health-lost",
        "rules:\\n"
            + "- name: a\\n"
            + "  xid: [79]\\n"
            + "  verdict: cordon|my.yaml:4: rules[0].verdict is 'cordon', not ignore",
        "rules:\\n"
            + "- name: a\\n"
            + "  xid: [79]\\n"
            + "  verdcit: fence|my.yaml:4: rules[0] has an unknown field verdcit",
        "rules:\\n- {name: a, xid: [74], mark: [broken]}|mark has 'broken', not one of",
        "rules:\\n- {name: a, xid: [79], action: pray}|action is 'pray', not one of",
        "rules:\\n- {name: a, xid: [79], clears: yes}|clears is 'yes', neither true nor false",
        "rules:\\n"
            + "- {name: a, xid: [13], fence: {incidents: 2}}|rules[0].fence is no matter of rules",
        "rules:\\n"
            + "- {name: a, xid: [13], after: {xid: [1], within: 700h, same: node, verdict:"
            + " ignore}}|longer than 28 days",
        "rules:\\n"
            + "- {name: a, xid: [13], after: {within: 5m, same: node, verdict:"
            + " ignore}}|rules[0].after names no code",
        "rules:\\n"
            + "- {name: a, xid: [13], after: {xid: [1-3], within: 5m, same: node, verdict:"
            + " ignore}}|it takes single codes",
        "rules:\\n"
            + "- {name: a, xid: [13], after: {xid: [1], within: 5m, same: unit, verdict:"
            + " ignore}}|same is 'unit', not one of device, node",
        "rules:\\n"
            + "- {name: a, xid: [1]}\\n"
            + "- {name: a, xid: [2]}|my.yaml:3: rules[1].name 'a' is taken",
        "rules:\\n- {name: a, name: b, xid: [1]}|my.yaml:2: rules[0] names name twice",
        "rule: []|my.yaml:1: the file has an unknown field rule",
        "burst: {silence: 60s}|my.yaml:1: burst is no matter of rules",
        "catalogue: {}|the controller weighs what comes again",
        "repeat: {bursts: 3, window: 24h}|my.yaml:1: repeat is no matter of rules",
        "- a|my.yaml:1: the file is not a mapping",
        "a: [|my.yaml: no YAML",
      })
  void shouldNameLineAndFieldWhenAFileIsWrong(String yaml, String message) {
    assertThatThrownBy(() -> over(yaml))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void shouldRefuseFilesMadeToBlowUp() {
    var bomb = new StringBuilder("a0: &a0 [x]\\n");
    for (int i = 1; i < 60; i++) {
      bomb.append("a").append(i).append(": &a").append(i).append(" [");
      bomb.append(("*a" + (i - 1) + ",").repeat(20)).append("]\\n");
    }
    assertThatThrownBy(() -> over(bomb.toString())).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> over("#".repeat(300_000)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("256 KiB");
    assertThatThrownBy(() -> over("[".repeat(100_000)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Whatever is in the file, it is read or refused with a message. */
  @Test
  void shouldNeverFailOtherwiseWhenFilesAreRandomlyBroken() throws IOException {
    var text = Files.readString(Path.of("src/main/resources/dev/rekindle/detect/rules/rules.yaml"));
    var random = new Random(5);
    for (int round = 0; round < 300; round++) {
      var broken = new StringBuilder(text);
      for (int edit = random.nextInt(4); edit >= 0; edit--) {
        var at = random.nextInt(broken.length());
        switch (random.nextInt(3)) {
          case 0 -> broken.deleteCharAt(at);
          case 1 -> broken.insert(at, "[]{}:-#&*!|>'\"%@`, \n".charAt(random.nextInt(20)));
          default -> broken.setCharAt(at, (char) (32 + random.nextInt(95)));
        }
      }
      try {
        SHIPPED.with("r.yaml", broken.toString());
      } catch (IllegalArgumentException e) {
        assertThat(e.getMessage()).startsWith("r.yaml");
      }
    }
  }

  @Test
  void shouldKeepTheLastGoodRulesAndReportOnceWhenTheFileBreaks() throws IOException {
    var file = directory.resolve("rules.yaml");
    var rules = new RulesFile(file);
    assertThat(rules.check()).as("absent").isInstanceOf(RulesFile.Check.Unchanged.class);
    Files.writeString(file, RULE.replace("\\n", "\n"));
    assertThat(rules.check()).isInstanceOf(RulesFile.Check.Changed.class);
    assertThat(rules.check()).isInstanceOf(RulesFile.Check.Unchanged.class);
    Files.writeString(file, "rules: 5");
    assertThat(rules.check())
        .isInstanceOfSatisfying(
            RulesFile.Check.Wrong.class,
            wrong -> assertThat(wrong.reason()).contains("rules.yaml:1: rules is not a list"));
    assertThat(rules.check()).isInstanceOf(RulesFile.Check.Unchanged.class);
    assertThat(rules.rules().about(Source.XID, "79").getFirst().name()).isEqualTo("mine");
    Files.delete(file);
    assertThat(rules.check()).isInstanceOf(RulesFile.Check.Changed.class);
    assertThat(rules.rules()).isEqualTo(SHIPPED);
  }

  /** What the chart writes where no rules are set, and what is left when all are commented out. */
  @ParameterizedTest
  @ValueSource(strings = {"", "{}", "{}\n", "# rules:\n# - {name: mine}\n"})
  void shouldTakeAFileWithoutRulesForNone(String text) throws IOException {
    var file = directory.resolve("rules.yaml");
    Files.writeString(file, text);
    var rules = new RulesFile(file);
    assertThat(rules.check()).isNotInstanceOf(RulesFile.Check.Wrong.class);
    assertThat(rules.rules()).isEqualTo(SHIPPED);
  }
}
