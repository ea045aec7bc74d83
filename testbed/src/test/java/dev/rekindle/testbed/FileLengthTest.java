package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** No tracked Java file of the main sources has more than 400 lines. */
class FileLengthTest {
  private static final int LINES = 400;
  private static final Pattern MAIN = Pattern.compile("(.*/)?src/main/.*\\.java");

  @Test
  void shouldKeepFilesOfTheMainSourcesWithin400Lines() throws IOException {
    assumeThat(Testbed.ROOT.resolve(".git")).exists();
    List<String> found = new ArrayList<>();
    int files = 0;
    String tracked = Command.run(Duration.ofSeconds(30), "git", "ls-files", "-z");
    for (String name : tracked.strip().split("\0", -1)) {
      Path file = Testbed.ROOT.resolve(name);
      if (MAIN.matcher(name).matches() && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        files++;
        int lines = lines(Files.readString(file));
        if (lines > LINES) {
          found.add(name + ": " + lines);
        }
      }
    }
    assertThat(found).isEmpty();
    assertThat(files).isPositive();
  }

  @Test
  void shouldCountLinesWithAndWithoutALastLineBreak() {
    assertThat(lines("a\n".repeat(LINES))).isEqualTo(LINES);
    assertThat(lines("a\n".repeat(LINES) + "a")).isEqualTo(LINES + 1);
  }

  @Test
  void shouldReadMainSourcesOnly() {
    assertThat("console/src/main/java/A.java").matches(MAIN);
    assertThat("console/src/test/java/ATest.java").doesNotMatch(MAIN);
    assertThat("docs/A.java").doesNotMatch(MAIN);
  }

  private static int lines(String text) {
    return (int) text.lines().count();
  }
}
