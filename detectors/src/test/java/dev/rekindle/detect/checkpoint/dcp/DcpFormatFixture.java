package dev.rekindle.detect.checkpoint.dcp;

import dev.rekindle.detect.checkpoint.Scans;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import org.junit.jupiter.api.io.TempDir;

/** A checkpoint on disk. */
abstract class DcpFormatFixture {
  static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir Path directory;

  static Verdict judge(Path folder) throws IOException {
    return DcpFolder.judge(Scans.folder(folder));
  }

  Path whole() {
    var folder = directory.resolve("step-30");
    DcpFixture.write(folder, 2, 3, 100, THEN);
    return folder;
  }

  static byte[] bytes(String latin) {
    return latin.getBytes(StandardCharsets.ISO_8859_1);
  }

  static void delete(Path folder, String name) throws IOException {
    Files.delete(folder.resolve(name));
  }

  static void cut(Path folder, String name, int length) throws IOException {
    var file = folder.resolve(name);
    var time = Files.getLastModifiedTime(file).toInstant();
    DcpFixture.file(file, Arrays.copyOf(Files.readAllBytes(file), length), time);
  }
}
