package dev.rekindle.detect.checkpoint.tracker;

import dev.rekindle.detect.checkpoint.format.TrackerFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A directory with a tracker. */
abstract class TrackerWriterFixture {
  static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  static final Instant SAVED = NOW.minusSeconds(600);
  static final String KEPT = "latest.rekindle-before-r1-1";

  @TempDir Path temporary;
  Path outside;
  Path root;

  @BeforeEach
  void directory() throws IOException {
    outside = Files.createDirectories(temporary.resolve("outside"));
    root = Files.createDirectories(temporary.resolve("ckpt"));
    Files.createDirectories(root.resolve("global_step200"));
    tracker("global_step300");
  }

  void tracker(String text) throws IOException {
    Files.writeString(root.resolve("latest"), text);
    Files.setLastModifiedTime(root.resolve("latest"), FileTime.from(SAVED));
  }

  TrackerOutcome write() {
    return write(root.resolve("global_step200"), InstantSource.fixed(NOW));
  }

  TrackerOutcome write(Path checkpoint, InstantSource clock) {
    var wanted = new TrackerFile("latest", "global_step200");
    return new TrackerWriter(root, checkpoint, wanted, "r1-1").write(clock, NOW.plusSeconds(60));
  }

  Map<String, String> files() throws IOException {
    var files = new TreeMap<String, String>();
    try (var stream = Files.walk(temporary)) {
      for (var path : stream.toList()) {
        if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
          files.put(temporary.relativize(path).toString(), Files.readString(path));
        }
      }
    }
    return files;
  }
}
