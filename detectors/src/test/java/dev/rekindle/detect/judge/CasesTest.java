package dev.rekindle.detect.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.rules.Rules;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.weigh.Thresholds;
import dev.rekindle.detect.xid.XidCatalog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every shape of line that is known, in every form in which tools print it. */
class CasesTest {
  private static final Judge JUDGE =
      new Judge(Rules.shipped(), XidCatalog.load(), SxidCatalog.load());

  /** One log. */
  record Case(String title, List<String> expected, List<String> lines) {
    @Override
    public String toString() {
      return title;
    }
  }

  static Stream<Case> cases() throws IOException {
    var cases = new ArrayList<Case>();
    try (var file = CasesTest.class.getResourceAsStream("cases.txt")) {
      for (var line : new String(file.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
        if (line.startsWith("== ")) {
          cases.add(new Case(line.substring(3), new ArrayList<>(), new ArrayList<>()));
        } else if (!cases.isEmpty() && line.contains(" |")) {
          var bar = line.indexOf(" |");
          cases.getLast().expected().add(line.substring(0, bar));
          cases.getLast().lines().add(line.substring(Math.min(line.length(), bar + 3)));
        }
      }
    }
    assertThat(cases).hasSizeGreaterThan(40);
    return cases.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void shouldJudgeEveryLineOfTheLog(Case log) {
    var judge = new LogJudge(JUDGE, Thresholds.DEFAULT);
    var verdicts = new ArrayList<String>();
    for (var line : log.lines()) {
      verdicts.add(judge.take(line).map(CasesTest::verdict).orElse("."));
    }
    assertThat(verdicts).containsExactlyElementsOf(log.expected());
  }

  private static String verdict(Judged judged) {
    assertThat(judged.judgement().reason()).isNotBlank();
    var device = judged.finding().device();
    return judged.finding().name()
        + " "
        + (device.isEmpty() ? "-" : device)
        + " "
        + judged.judgement().verdict().word();
  }
}
