package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** No line of a tracked source file has more than 120 columns. The formatter breaks no strings. */
class LineLengthTest {
  private static final int COLUMNS = 120;
  private static final Pattern SOURCES =
      Pattern.compile(".*\\.(java|sh|py|ya?ml|toml|md|css|js|html|jte|properties|xml)");

  /** A row of a table and a line of an example are not prose. */
  private static final Pattern MARKDOWN_UNBROKEN = Pattern.compile(" *\\|.*| {4}.*");

  /** An element with a long name and no space has no place for a line break. */
  private static final Pattern XML_UNBROKEN = Pattern.compile(" *\\S+");

  @Test
  void shouldKeepLinesOfTrackedFilesWithin120Columns() throws IOException {
    assumeThat(Testbed.ROOT.resolve(".git")).exists();
    List<String> found = new ArrayList<>();
    String tracked = Command.run(Duration.ofSeconds(30), "git", "ls-files", "-z");
    for (String name : tracked.strip().split("\0", -1)) {
      Path file = Testbed.ROOT.resolve(name);
      if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && isSource(file)) {
        String text = Files.readString(file, StandardCharsets.UTF_8);
        tooLong(name, text).forEach(line -> found.add(name + ":" + line));
      }
    }
    assertThat(found).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "A.java,1",
    "run.sh,1",
    "a.yaml,1",
    "a.py,1",
    "rekindle,1",
    "a.md,0",
    "a.css,1",
    "a.xml,1"
  })
  void shouldFindTheLineThatIsTooLong(String name, int lines) {
    String cells = "| " + "x".repeat(COLUMNS - 2);
    assertThat(tooLong(name, "a\n" + cells + "\n")).isEmpty();
    assertThat(tooLong(name, "a\n" + cells + "x\n")).hasSize(lines);
    assertThat(tooLong(name, "word ".repeat(COLUMNS / 5) + ".\n")).hasSize(1);
  }

  @Test
  void shouldAcceptALongElementWithoutASpace() {
    String element = "    <" + "x".repeat(COLUMNS) + "/>";
    assertThat(tooLong("pom.xml", element)).isEmpty();
    assertThat(tooLong("page.jte", element)).containsExactly(1);
  }

  /** A script that is a command has no file extension. */
  private static boolean isSource(Path file) throws IOException {
    String name = file.getFileName().toString();
    if (SOURCES.matcher(name).matches()) {
      return true;
    }
    if (name.contains(".")) {
      return false;
    }
    try (var in = Files.newInputStream(file)) {
      return new String(in.readNBytes(2), StandardCharsets.ISO_8859_1).equals("#!");
    }
  }

  /** The numbers of the lines with more columns. */
  private static List<Integer> tooLong(String name, String text) {
    List<Integer> found = new ArrayList<>();
    String[] lines = text.split("\n", -1);
    for (int i = 0; i < lines.length; i++) {
      String line = lines[i];
      if (line.codePointCount(0, line.length()) > COLUMNS && !isUnbroken(name, line)) {
        found.add(i + 1);
      }
    }
    return found;
  }

  private static boolean isUnbroken(String name, String line) {
    return (name.endsWith(".md") && MARKDOWN_UNBROKEN.matcher(line).matches())
        || (name.endsWith(".xml") && XML_UNBROKEN.matcher(line).matches());
  }
}
