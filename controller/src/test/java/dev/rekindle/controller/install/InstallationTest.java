package dev.rekindle.controller.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.install.Installation.Agents;
import dev.rekindle.controller.install.Installation.Answer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class InstallationTest {
  private static final Optional<Agents> AGENTS = Optional.of(new Agents(4, 4, 4));
  private static final Optional<Answer> CONSOLE = Optional.of(new Answer(200, ""));

  private static Installation seen(
      String leader, boolean renewed, Optional<Agents> agents, Optional<Answer> console) {
    return new Installation(leader, renewed, Set.of("c-0", "c-1"), agents, "", console, "");
  }

  @Test
  void shouldFindNothingWrongWithACompleteInstallation() {
    var findings = seen("c-0", true, AGENTS, CONSOLE).findings();

    assertThat(findings).allMatch(Finding::ok);
    assertThat(findings)
        .extracting(Finding::name)
        .containsExactly("leader", "agents", "crds", "console");
    assertThat(Finding.text(findings)).contains("4 of 4 nodes have a Ready agent").hasLineCount(4);
  }

  @Test
  void shouldAskNothingOfWhatTheChartDoesNotInstall() {
    assertThat(seen("c-0", true, Optional.empty(), Optional.empty()).findings())
        .extracting(Finding::name)
        .containsExactly("leader", "crds");
  }

  static Stream<Arguments> wrong() {
    return Stream.of(
        argumentSet("no leader", seen("", false, AGENTS, CONSOLE), "no controller holds"),
        argumentSet("a leader that is gone", seen("x", true, AGENTS, CONSOLE), "x holds the lease"),
        argumentSet("a silent leader", seen("c-0", false, AGENTS, CONSOLE), "does not renew"),
        argumentSet(
            "agents missing",
            seen("c-0", true, Optional.of(new Agents(4, 4, 3)), CONSOLE),
            "3 of 4 nodes"),
        argumentSet(
            "agents of another release",
            seen("c-0", true, Optional.of(new Agents(4, 1, 4)), CONSOLE),
            "1 of this release"),
        argumentSet(
            "no agent at all",
            seen("c-0", true, Optional.of(new Agents(0, 0, 0)), CONSOLE),
            "no node is to have an agent"),
        argumentSet(
            "a console without an answer",
            seen("c-0", true, AGENTS, Optional.of(new Answer(0, "refused"))),
            "does not answer: refused"),
        argumentSet(
            "a console that is not ready",
            seen("c-0", true, AGENTS, Optional.of(new Answer(503, ""))),
            "answers 503"),
        argumentSet(
            "CRDs of another release",
            new Installation("c-0", true, Set.of("c-0"), AGENTS, "lack x", CONSOLE, ""),
            "lack x"),
        argumentSet(
            "an API server that refuses",
            new Installation("", false, Set.of(), AGENTS, "", CONSOLE, "403 leases"),
            "403 leases"));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void shouldNameTheOneThingThatIsWrong(Installation seen, String expected) {
    List<Finding> wrong = seen.findings().stream().filter(f -> !f.ok()).toList();

    assertThat(wrong).singleElement().extracting(Finding::detail).asString().contains(expected);
    assertThat(Finding.text(seen.findings())).contains("FAILED");
  }
}
