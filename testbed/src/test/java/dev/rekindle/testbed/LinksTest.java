package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Links of pages lead to a file of the repository and to a heading of it, and so do paths of pages
 * that programs, the chart and comments name.
 */
class LinksTest {
  private static final Pattern LINK = Pattern.compile("\\]\\(([^()\\s]+)\\)");
  private static final Pattern EXTERNAL = Pattern.compile("[a-z]+:.*");
  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```$");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.*)$");

  /** A page as a command or a comment names it. */
  private static final Pattern NAMED =
      Pattern.compile("(?<![\\w./-])docs/([\\w./-]+\\.md(?:#[\\w-]+)?)");

  /** Pages on how it is now; decisions are of their day. */
  private static final Pattern PAGES = Pattern.compile("(?!docs/decisions/).*\\.md");

  /** A file or folder of sources, up to a placeholder such as TARGET. */
  private static final Pattern SOURCE =
      Pattern.compile("(?<![\\w./-])([\\w-]+/src(?:/(?![A-Z]+\\b)[\\w-]+(?:\\.[\\w-]+)*)+)");

  private static final Pattern SOURCES = Pattern.compile(".*\\.(java|jte|sh|py|ya?ml|tpl|txt)");

  @Test
  void shouldFindFileAndHeadingOfEachLink() throws IOException {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Path page : tracked(Pattern.compile(".*\\.md"))) {
      for (String target : links(Files.readString(page))) {
        links++;
        broken(page, target).ifPresent(broken::add);
      }
    }
    assertThat(broken).isEmpty();
    assertThat(links).isGreaterThan(300);
  }

  @Test
  void shouldFindEachPageThatASourceNames() throws IOException {
    List<String> broken = new ArrayList<>();
    int named = 0;
    for (Path source : tracked(SOURCES)) {
      Matcher page = NAMED.matcher(Files.readString(source));
      while (page.find()) {
        named++;
        broken(source, "docs/" + page.group(1), Testbed.ROOT).ifPresent(broken::add);
      }
    }
    assertThat(broken).isEmpty();
    assertThat(named).isGreaterThan(20);
  }

  @Test
  void shouldFindEachSourceThatAPageNames() throws IOException {
    List<String> missing = new ArrayList<>();
    int named = 0;
    for (Path page : tracked(PAGES)) {
      Matcher source = SOURCE.matcher(Files.readString(page));
      while (source.find()) {
        named++;
        if (!Files.exists(Testbed.ROOT.resolve(source.group(1)))) {
          missing.add(page + " names a file that is not there: " + source.group(1));
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(named).isGreaterThan(4);
  }

  @ParameterizedTest
  @CsvSource({
    "other.md,true",
    "other.md#a-heading-with-code,true",
    "#first,true",
    "#first-1,true",
    "#first-2,false",
    "#in-an-example,false",
    "other.md#first,false",
    "missing.md,false"
  })
  void shouldKnowAHeadingByItsAnchor(String target, boolean found, @TempDir Path folder)
      throws IOException {
    Path page = folder.resolve("page.md");
    Files.writeString(page, "# First\n\n## First\n\n```\n# In an example\n```\n");
    Files.writeString(folder.resolve("other.md"), "# A heading, with `code`!\n");

    assertThat(broken(page, target).isEmpty()).isEqualTo(found);
  }

  private static List<String> links(String text) {
    return LINK.matcher(FENCED.matcher(text).replaceAll(""))
        .results()
        .map(link -> link.group(1))
        .filter(target -> !EXTERNAL.matcher(target).matches())
        .toList();
  }

  private static Optional<String> broken(Path page, String target) throws IOException {
    return broken(page, target, page.resolveSibling(""));
  }

  /** What is wrong with a link. */
  private static Optional<String> broken(Path from, String target, Path folder) throws IOException {
    String[] parts = target.split("#", 2);
    Path to = parts[0].isEmpty() ? from : folder.resolve(parts[0]).normalize();
    if (!Files.exists(to)) {
      return Optional.of(from + " names a file that is not there: " + target);
    }
    Path page = Files.isDirectory(to) ? to.resolve("README.md") : to;
    return parts.length == 1 || anchors(Files.readString(page)).contains(parts[1])
        ? Optional.empty()
        : Optional.of(from + " names a heading that is not there: " + target);
  }

  /** Anchors of a page, as GitHub makes them of headings. */
  private static Set<String> anchors(String text) {
    Set<String> anchors = new HashSet<>();
    Map<String, Integer> seen = new HashMap<>();
    Matcher heading = HEADING.matcher(FENCED.matcher(text).replaceAll(""));
    while (heading.find()) {
      String words = heading.group(1).replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1");
      String slug =
          words.strip().toLowerCase(Locale.ROOT).replaceAll("[^\\w\\- ]", "").replace(' ', '-');
      int times = seen.merge(slug, 1, Integer::sum);
      anchors.add(times == 1 ? slug : slug + "-" + (times - 1));
    }
    return anchors;
  }

  private static List<Path> tracked(Pattern names) {
    assumeThat(Testbed.ROOT.resolve(".git")).exists();
    String tracked = Command.run(Duration.ofSeconds(30), "git", "ls-files", "-z");
    return Arrays.stream(tracked.strip().split("\0", -1))
        .filter(name -> names.matcher(name).matches())
        .map(Testbed.ROOT::resolve)
        .filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
        .toList();
  }
}
