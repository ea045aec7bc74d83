package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AotCacheTest {
  private static final String WRITES = "-XX:AOTCacheOutput=";

  @TempDir private Path lib;
  private Path jar;

  @BeforeEach
  void makeJar() throws IOException {
    jar = Files.createFile(lib.resolve("some.jar"));
    Files.setLastModifiedTime(jar, FileTime.from(Instant.parse("2026-01-01T00:00:00Z")));
  }

  private AotCache cache() {
    return AotCache.of(jar.toString()).orElseThrow();
  }

  private void write(List<String> options) throws IOException {
    Files.createFile(Path.of(options.getFirst().substring(WRITES.length())));
  }

  @Test
  void shouldBeWrittenByOneProcessOfALongRun() {
    assertThat(cache().options(true, 5_000)).singleElement().asString().startsWith(WRITES);
    assertThat(cache().options(false, 5_000)).isEmpty();
    assertThat(cache().options(true, 20)).isEmpty();
  }

  @Test
  void shouldBeUsedByEveryProcessOfTheNextRun() throws IOException {
    AotCache first = cache();
    write(first.options(true, 5_000));
    first.keep();

    assertThat(cache().options(true, 5_000))
        .isEqualTo(cache().options(false, 20))
        .singleElement()
        .asString()
        .startsWith("-XX:AOTCache=" + lib);
  }

  @Test
  void shouldBeWrittenAnewForNewerJars() throws IOException {
    AotCache first = cache();
    write(first.options(true, 5_000));
    first.keep();
    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().plusSeconds(60)));

    assertThat(cache().options(true, 5_000)).singleElement().asString().startsWith(WRITES);
  }

  @Test
  void shouldNotBeUsedWhereItWasNotWrittenToItsEnd() {
    AotCache first = cache();
    var _ = first.options(true, 5_000);
    first.keep();

    assertThat(cache().options(true, 5_000)).singleElement().asString().startsWith(WRITES);
  }

  @Test
  void shouldBeNoneForClassesThatAreInNoJar() {
    assertThat(AotCache.of(lib.toString())).isEmpty();
    assertThat(AotCache.of(jar + File.pathSeparator + lib)).isEmpty();
    assertThat(AotCache.of("")).isEmpty();
  }
}
