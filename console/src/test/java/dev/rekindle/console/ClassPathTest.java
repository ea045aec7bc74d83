package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Micronaut is the console's alone. */
class ClassPathTest {
  @ParameterizedTest
  @ValueSource(strings = {"browser", "crd-models", "detectors", "pages", "controller", "simulator"})
  void shouldKeepMicronautOutOfWhatOtherRolesAreMadeOf(String module) throws IOException {
    String pom = Files.readString(Path.of("..", module, "pom.xml"));
    assertThat(pom).doesNotContain("micronaut").doesNotContain("netty");
  }

  @Test
  void shouldBeUsedByNoModuleButForTheImage() throws IOException {
    for (String module : List.of("browser", "crd-models", "detectors", "pages", "simulator")) {
      assertThat(Files.readString(Path.of("..", module, "pom.xml")))
          .doesNotContain("rekindle-console");
    }
  }
}
