package dev.rekindle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

class CommandTreeTest {
  @Command(
      name = "walk",
      description = "Walks, and walks, and walks, for as long as it is asked to.")
  private static final class Walk implements Callable<Integer> {
    @Option(names = "--steps", paramLabel = "N", description = "How many.")
    private int steps = 1;

    @Option(names = "--from", paramLabel = "N", description = "From where.")
    private long from;

    @Option(names = "--rest", paramLabel = "T", description = "Between two of them.")
    private Duration rest = Duration.ZERO;

    @Option(names = "--map", paramLabel = "FILE", description = "Of the place.")
    private @Nullable Path map;

    @Parameters(arity = "0..1", paramLabel = "WHERE", description = "To where.")
    private String where = "nowhere";

    private final PrintStream out;

    private Walk(PrintStream out) {
      this.out = out;
    }

    @Override
    public Integer call() throws Exception {
      UsageException.checkRange("--steps", steps, 1, 9);
      UsageException.checkRange("--from", from, -9, Long.MAX_VALUE);
      if (where.equals("off")) {
        throw new IllegalStateException("a bug");
      }
      out.println(steps + " " + from + " " + rest + " " + map + " " + where);
      return 7;
    }
  }

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... args) {
    var print = new PrintStream(out, true, StandardCharsets.UTF_8);
    return CommandTree.run(
        new Walk(print), List.of(args), print, new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " => ",
      value = {
        "--steps 5 => 5 0 PT0S null nowhere",
        "--steps=5 => 5 0 PT0S null nowhere",
        "--steps=5 --steps 6 => 6 0 PT0S null nowhere",
        "--from -3 => 1 -3 PT0S null nowhere",
        "--from=-3 there => 1 -3 PT0S null there",
        "there --rest 1m30s => 1 0 PT1M30S null there",
        "--map=x.map - => 1 0 PT0S x.map -",
        "@there => 1 0 PT0S null @there",
        "-- --steps => 1 0 PT0S null --steps",
      })
  void shouldTakeValuesInBothForms(String args, String walked) {
    assertThat(run(args.split(" "))).isEqualTo(7);
    assertThat(out()).isEqualTo(walked + "\n");
    assertThat(err()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " => ",
      value = {
        "--loud => unknown option '--loud'",
        "--step 5 => unknown option '--step'; did you mean --steps?",
        "-x => unknown option '-x'",
        "here there => unexpected argument 'there'",
        "--steps => missing required parameter for option '--steps' (N)",
        "--steps= => invalid value for option '--steps': '' is not a whole number",
        "--steps many => invalid value for option '--steps': 'many' is not a whole number",
        "--from 1.5 => invalid value for option '--from': '1.5' is not a whole number",
        "--steps 10 => --steps is 10, not from 1 to 9",
        "--from -10 => --from is -10, not at least -9",
        "--map a\0b => invalid value for option '--map': 'a?b' is not a path",
        "--\033[31m => unknown option '--?[31m'",
      })
  void shouldRefuseInOneLineAndSayWhereHelpIs(String args, String why) {
    assertThat(run(args.split(" "))).isEqualTo(2);
    assertThat(err()).isEqualTo("rekindle walk: " + why + "\nSee 'rekindle walk --help'.\n");
    assertThat(out()).isEmpty();
  }

  @Test
  void shouldShowTheFormOfADuration() {
    assertThat(run("--rest", "soon")).isEqualTo(2);
    assertThat(err()).contains("'--rest': 'soon' is no duration such as 250ms, 90s");
  }

  @Test
  void shouldHideNoBug() {
    assertThat(run("off")).isEqualTo(1);
    assertThat(err()).contains("IllegalStateException: a bug", "\tat ");
  }

  @Test
  void shouldHelpAndNameItsVersion() {
    assertThat(run("--steps", "99", "--help")).isZero();
    assertThat(out())
        .startsWith("Usage: rekindle walk [OPTIONS] [WHERE]\n")
        .contains("--steps=N", "--help", "--version", "Exit codes:");
    out.reset();
    assertThat(run("--version")).isZero();
    assertThat(out()).startsWith("rekindle ").hasLineCount(1);
    assertThat(CommandTree.version("1.2.3")).isEqualTo("1.2.3");
    assertThat(CommandTree.version(null)).isEqualTo("from sources");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 60, 80, 120, 121, 400})
  void shouldWrapToTheTerminalWithinReason(int columns) {
    assertThat(CommandTree.width(columns)).isBetween(60, 120);
    assertThat(CommandTree.width(80)).isEqualTo(80);
  }

  @Test
  void shouldSayInWordsWhyAFileCannotBeRead() {
    assertThat(why(new NoSuchFileException("x"))).isEqualTo("x cannot be read: no such file");
    assertThat(why(new AccessDeniedException("x")))
        .isEqualTo("x cannot be read: permission denied");
    assertThat(why(new MalformedInputException(1))).isEqualTo("x cannot be read: not UTF-8 text");
    assertThat(why(new FileSystemException("x", null, "Too many levels")))
        .isEqualTo("x cannot be read: Too many levels");
    assertThat(why(new IOException("Is a directory"))).endsWith(": Is a directory");
    assertThat(why(new IOException())).endsWith(": input/output error");
  }

  private static @Nullable String why(IOException e) {
    return UsageException.of("x cannot be read", e).getMessage();
  }
}
