package dev.rekindle.detect.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.kernel.Source;
import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.rules.Rule;
import dev.rekindle.detect.rules.Rules;
import dev.rekindle.detect.rules.Verdict;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.xid.XidCatalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page of codes and rules is written from the data, so that it cannot lag behind. */
class KernelLogReferenceTest {
  private static final Path PAGE = Path.of("..", "docs", "reference", "kernel-log.md");
  private static final XidCatalog XIDS = XidCatalog.load();
  private static final SxidCatalog SXIDS = SxidCatalog.load();
  private static final Judge JUDGE = new Judge(Rules.shipped(), XIDS, SXIDS);

  @Test
  void shouldFindThePageAsTheDataSays() throws IOException {
    String wanted = page();
    String found = Files.exists(PAGE) ? Files.readString(PAGE) : "";
    if (!found.equals(wanted)) {
      Files.createDirectories(PAGE.getParent());
      Files.writeString(PAGE, wanted);
    }

    assertThat(found)
        .as("%s has been rewritten: review the difference, commit it, and run again", PAGE)
        .isEqualTo(wanted);
  }

  private static String page() {
    return """
    # Kernel log: rules and codes

    Written by the build from `rules.yaml` and the catalogues of the detectors. `rekindle explain` has more of each \
    code;
    how the rules work and how to lay others over them stands in
    [rules of the kernel log](../operations/kernel-log-rules.md).

    ## Rules

    The first that fits a line decides. How often is too often is weighed by the controller.

    | rule | lines | marked | verdict | fences when | meaning |
    |---|---|---|---|---|---|
    """
        + JUDGE.rules().rules().stream()
            .map(KernelLogReferenceTest::row)
            .collect(Collectors.joining())
        + codes("XID", Source.XID, code -> XIDS.lookup(code).name())
        + codes(
            "SXid",
            Source.SXID,
            code -> SXIDS.lookup(code).block() + ": `" + SXIDS.lookup(code).mnemonic() + "`")
        + """

        A line of an NVSwitch that says Fatal, Non-fatal or Correctable is judged by that word; the verdict here is for
        lines without one.
        """;
  }

  private static String row(Rule rule) {
    var lines =
        rule.source().word()
            + " "
            + (rule.codes().isEmpty()
                ? "(all)"
                : rule.codes().stream()
                    .map(Rule.Codes::toString)
                    .collect(Collectors.joining(", ")));
    var basis = JUDGE.basis(rule.source(), first(rule));
    var fence = Explanation.when(rule.source(), first(rule), Optional.of(rule), basis);
    return "| `%s` | %s | %s | %s | %s | %s |%n"
        .formatted(
            rule.name(),
            lines,
            String.join(", ", rule.marks()),
            rule.verdict().map(Verdict::word).orElse("catalogue's"),
            fence,
            rule.because());
  }

  private static String first(Rule rule) {
    return rule.codes().isEmpty() ? "10001" : rule.codes().getFirst().first();
  }

  private static String codes(String title, Source source, IntFunction<String> name) {
    var text =
        new StringBuilder(
            "%n## %s%n%n| code | meaning | verdict | to do |%n|---|---|---|---|%n"
                .formatted(title));
    for (var code : CodeList.of(JUDGE, XIDS, SXIDS, source)) {
      var basis = JUDGE.basis(source, code);
      var words = new LinkedHashSet<String>();
      var decided = source == Source.SXID;
      for (var rule : JUDGE.rules().about(source, code)) {
        if (!decided) {
          words.add(rule.verdict().map(Verdict::word).orElse(basis.verdict().word()));
          decided = rule.marks().isEmpty();
        }
      }
      if (!decided || source == Source.SXID) {
        words.add(basis.verdict().word());
      }
      text.append(
          "| %s | %s | %s | %s |%n"
              .formatted(
                  code,
                  name.apply(Integer.parseInt(code)).replace("|", "\\|"),
                  String.join(" / ", words),
                  basis.action()));
    }
    return text.toString();
  }
}
