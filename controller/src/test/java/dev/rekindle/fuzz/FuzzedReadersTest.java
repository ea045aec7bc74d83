package dev.rekindle.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A new reader has a row in docs/reference/inputs.md: the target that fuzzes it, or why none does.
 */
class FuzzedReadersTest {
  private static final Path DOC = Path.of("../docs/reference/inputs.md");

  /** Names of classes that read what others write. */
  private static final Pattern READER =
      Pattern.compile(
          ".*(Reader|Parser|Lines?|Folder|Pickle|Csv|Json|Listing|Expression)"
              + "|(Tracker|Journal|Judge|NvmlMemory|NicMemory)File|(Tracker|Inspector)Report|Tracker|Cursor|World");

  private static final Pattern ROW =
      Pattern.compile("^\\| `([a-z0-9]+\\.)*([A-Z]\\w+)` \\| (`([a-z0-9]+)`|none: .+?) \\|$");

  /** Each class, by package below dev.rekindle and name, with its target; "" where it has none. */
  private static Map<String, String> rows() throws IOException {
    Map<String, String> rows = new TreeMap<>();
    for (String line : Files.readAllLines(DOC)) {
      var row = ROW.matcher(line);
      if (row.matches()) {
        String name = line.substring(3, line.indexOf('`', 3));
        assertThat(rows.put(name, row.group(4) == null ? "" : row.group(4))).as(name).isNull();
      }
    }
    return rows;
  }

  private static Set<String> readers() {
    return new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.rekindle.controller", "dev.rekindle.detect")
            .stream()
            .filter(type -> !type.isNestedClass() && !type.isInterface())
            .filter(type -> READER.matcher(type.getSimpleName()).matches())
            .map(JavaClass::getName)
            .map(name -> name.substring("dev.rekindle.".length()))
            .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void shouldHaveATargetForEachReaderOrTheReasonWhyNot() throws IOException {
    assertThat(rows().keySet())
        .as("the table of readers in docs/reference/inputs.md")
        .containsExactlyInAnyOrderElementsOf(readers());
  }

  @Test
  void shouldHaveAReaderForEachTarget() throws IOException {
    var named = new TreeSet<>(rows().values());
    named.remove("");
    assertThat(named)
        .containsExactlyInAnyOrderElementsOf(
            Targets.all().stream()
                .map(Target::name)
                .filter(name -> !OTHERS.contains(name))
                .toList());
  }

  /** Targets of what is no class by one of these names. */
  private static final Set<String> OTHERS =
      Set.of(
          "duration",
          "checkpoint",
          "safetensors",
          "ocdbt",
          "zstd",
          "store",
          "reports",
          "stack",
          "process",
          "order");

  @Test
  void shouldNameEachTargetInTheHelp() throws IOException {
    String help = Files.readString(Path.of("../rekindle"));
    String text = help.substring(help.indexOf("TARGET: "), help.indexOf("\n  package "));
    assertThat(text.substring("TARGET: ".length()).strip().split(",\\s+"))
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(Targets.all().stream().map(Target::name), ELSEWHERE.stream()).toList());
  }

  /** Targets of other modules, each with a class of its own. */
  private static final Set<String> ELSEWHERE = Set.of("cursor", "trace");
}
