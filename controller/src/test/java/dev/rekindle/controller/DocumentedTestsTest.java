package dev.rekindle.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each test that docs/reliability/security.md names exists, in whatever module. */
class DocumentedTestsTest {
  private static final Path ROOT = Path.of("..");

  /** {@code `Class#method`}, or {@code `#method`} of the class named before it in the item. */
  private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w*)?#(\\w+)`");

  private static final Pattern NUMBER = Pattern.compile("^- \\*\\*T(\\d+)\\*\\*: (.*)$");

  @Test
  void shouldFindEachTestThatThePageNames() throws IOException {
    Map<String, Path> sources = sources();
    List<String> missing = new ArrayList<>();
    int named = 0;
    for (String line : page()) {
      String type = "";
      Matcher test = NAMED.matcher(line);
      while (test.find()) {
        named++;
        type = test.group(1) == null ? type : test.group(1);
        Path source = sources.get(type);
        if (source == null || !declares(source, test.group(2))) {
          missing.add(type + "#" + test.group(2));
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(named).isGreaterThan(80);
  }

  @Test
  void shouldHaveATestForEachNumberOfTheReview() throws IOException {
    List<Integer> numbers = new ArrayList<>();
    for (String line : page()) {
      Matcher row = NUMBER.matcher(line);
      if (row.matches()) {
        numbers.add(Integer.valueOf(row.group(1)));
        assertThat(NAMED.matcher(row.group(2)).find()).as(line).isTrue();
      }
    }
    assertThat(numbers).containsExactlyElementsOf(IntStream.rangeClosed(1, 23).boxed().toList());
  }

  /** Lines of the page, each item of a list as one line. */
  private static List<String> page() throws IOException {
    List<String> items = new ArrayList<>();
    for (String line : Files.readAllLines(ROOT.resolve("docs/reliability/security.md"))) {
      if (line.startsWith("  ") && !items.isEmpty()) {
        items.add(items.removeLast() + " " + line.strip());
      } else {
        items.add(line);
      }
    }
    return items;
  }

  private static boolean declares(Path source, String method) throws IOException {
    return Pattern.compile("\\bvoid " + method + "\\(").matcher(Files.readString(source)).find();
  }

  /** Test classes of all modules, by their simple names. */
  private static Map<String, Path> sources() throws IOException {
    var java = FileSystems.getDefault().getPathMatcher("glob:**/src/test/java/**.java");
    Map<String, Path> sources = new HashMap<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module :
          modules.filter(m -> Files.isDirectory(m.resolve("src/test/java"))).toList()) {
        try (Stream<Path> files = Files.walk(module.resolve("src/test/java"))) {
          files
              .filter(java::matches)
              .forEach(f -> sources.put(f.getFileName().toString().replace(".java", ""), f));
        }
      }
    }
    return sources;
  }
}
