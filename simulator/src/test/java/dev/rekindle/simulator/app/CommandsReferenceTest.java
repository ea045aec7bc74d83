package dev.rekindle.simulator.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * The page about commands is written from the commands; a change of one fails the build once.
 * {@code mvn -o test -pl simulator -Dtest=CommandsReferenceTest} writes it.
 */
class CommandsReferenceTest {
  private static final Path PAGE = Path.of("../docs/reference/commands.md");
  private static final String BEGIN = "<!-- written by the build from here on -->\n";

  @Test
  void shouldFindEachCommandAsItIsInTheReference() throws IOException {
    String before = Files.readString(PAGE);
    int from = before.indexOf(BEGIN) + BEGIN.length();
    assertThat(from).as("the line from which on the page is written").isGreaterThan(BEGIN.length());
    String after = before.substring(0, from) + Main.all(System.out).reference();
    Files.writeString(PAGE, after);

    assertThat(after)
        .as(
            "commands.md did not match the commands and has been written anew: commit it, run"
                + " again")
        .isEqualTo(before);
  }
}
