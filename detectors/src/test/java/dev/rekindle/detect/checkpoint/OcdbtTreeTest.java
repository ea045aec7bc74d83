package dev.rekindle.detect.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A tree of keys of four levels, 300 values; testbed/checkpoints/ocdbt_tree.py has written it. */
class OcdbtTreeTest {
  private static final int STRIDE = 16;

  /** So often TensorStore refuses to read it, of each 16th byte with one bit turned. */
  private static final int REFUSED = 419;

  private static final FileTime SAVED = FileTime.from(Instant.parse("2026-11-29T00:00:00Z"));

  @TempDir private Path root;

  @BeforeEach
  void write() throws IOException {
    try (var zip =
        new ZipInputStream(
            Objects.requireNonNull(OcdbtTreeTest.class.getResourceAsStream("ocdbt-tree.zip")))) {
      for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        var file = root.resolve("20/default").resolve(entry.getName());
        Files.createDirectories(file.getParent());
        write(file, zip.readAllBytes());
      }
    }
    write(root.resolve("20/commit_success.txt"), new byte[] {1});
    try (var paths = Files.walk(root)) {
      for (var path : paths.toList()) {
        Files.setLastModifiedTime(path, SAVED);
      }
    }
  }

  /** At the time of the commit: what is newer would be of another save. */
  private static void write(Path file, byte[] data) throws IOException {
    Files.write(file, data);
    Files.setLastModifiedTime(file, SAVED);
  }

  private Verdict verdict() {
    return new Scanner(root, Scanner.Settings.USUAL).scan().checkpoints().getFirst().verdict();
  }

  private Path data() throws IOException {
    try (var files = Files.list(root.resolve("20/default/d"))) {
      return files.findFirst().orElseThrow();
    }
  }

  @Test
  void shouldReadEachLevel() {
    assertThat(verdict()).isEqualTo(Verdict.VALID);
  }

  @Test
  void shouldSeeWhatTensorStoreSees() throws IOException {
    var file = data();
    var whole = Files.readAllBytes(file);
    int torn = 0;
    for (int at = 0; at < whole.length; at += STRIDE) {
      var turned = whole.clone();
      turned[at] ^= 4;
      write(file, turned);
      torn += verdict().kind() == Verdict.Kind.TORN ? 1 : 0;
    }
    assertThat(torn).isEqualTo(REFUSED);
  }

  @Test
  void shouldSeeThatTheLastNodeIsCutOff() throws IOException {
    var file = data();
    write(file, Arrays.copyOf(Files.readAllBytes(file), 12_070));
    assertThat(verdict().reason()).endsWith(" has 12070 bytes, the index says at least 12071");
  }
}
