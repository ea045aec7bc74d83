package dev.rekindle.simulator.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MainTest {
  private record Run(int code, String out, String err) {
    static Run of(String... args) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      ByteArrayOutputStream err = new ByteArrayOutputStream();
      int code =
          Main.run(
              List.of(args),
              new PrintStream(out, true, StandardCharsets.UTF_8),
              new PrintStream(err, true, StandardCharsets.UTF_8));
      return new Run(
          code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rekindle.simulator.app.Main#commands")
  void shouldHaveTheSameOptionsInEveryCommand(String command) {
    Run help = Run.of(command, "--help");
    assertThat(help.code()).isZero();
    assertThat(help.out()).startsWith("Usage: rekindle " + command).contains("Exit codes:\n  0 ");
    assertThat(help.out().lines()).allMatch(line -> line.length() <= 120);
    assertThat(Run.of(command, "--version")).isEqualTo(Run.of("--version"));
    assertThat(Run.of(command, "--what", "x"))
        .isEqualTo(
            new Run(
                2,
                "",
                "rekindle %s: unknown option '--what'\nSee 'rekindle %s --help'.\n"
                    .formatted(command, command)));
  }

  @Test
  void shouldNameItsVersion() {
    assertThat(Run.of("--version"))
        .isEqualTo(new Run(0, Run.of("--version").out(), ""))
        .matches(run -> run.out().startsWith("rekindle "));
  }

  @Test
  void shouldRefuseNoCommandAndAnUnknownOne() {
    assertThat(Run.of())
        .isEqualTo(
            new Run(2, "", "rekindle: missing required subcommand\nSee 'rekindle --help'.\n"));
    assertThat(Run.of("dril").err()).contains("'dril'; did you mean drill?");
  }

  @Test
  void shouldDrillWithoutAnythingToParse() {
    Run run = Run.of("drill");
    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("RECOVERED");
  }

  @Test
  void shouldCompleteCommandsAndOptionsInBash(@TempDir Path folder) throws Exception {
    Run completion = Run.of("completion");
    assertThat(completion.code()).isZero();
    Path script = Files.writeString(folder.resolve("completion"), completion.out());
    assertThat(bash("bash", "-n", script.toString())).isEmpty();
    assertThat(completed(script, "rekindle", "si")).contains("simulate");
    assertThat(completed(script, "rekindle", "testbed", "fre")).contains("freeze");
    assertThat(completed(script, "rekindle", "judge", "--pol")).contains("--policy");
    assertThat(completed(script, "rekindle", "drill", "--scenario", "tor"))
        .contains("torn-checkpoint");
  }

  /** The shell has them, so that nothing but their names is here. */
  @Test
  void shouldKnowTheCommandsOfTheTestbed() throws IOException {
    String script = Files.readString(Path.of("..", "rekindle"));
    List<String> commands =
        Pattern.compile("(?m)^  testbed ([a-z]+)")
            .matcher(script)
            .results()
            .map((MatchResult match) -> match.group(1))
            .toList();
    assertThat(ShellCommands.TESTBED).isEqualTo(commands);
  }

  /** What bash offers for the last of the words. */
  private static List<String> completed(Path script, String... words) throws Exception {
    List<String> command = new ArrayList<>();
    command.add("bash");
    command.add("-c");
    command.add(
        "source \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _complete_rekindle;"
            + " printf '%s\\n' \"${COMPREPLY[@]}\"");
    command.add(script.toString());
    command.addAll(List.of(words));
    return bash(command.toArray(String[]::new));
  }

  /** Each line that it prints, on either stream. */
  private static List<String> bash(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (var lines = process.inputReader()) {
      List<String> all = lines.lines().map(String::strip).filter(l -> !l.isEmpty()).toList();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      return all;
    }
  }
}
