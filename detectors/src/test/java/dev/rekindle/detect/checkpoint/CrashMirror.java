package dev.rekindle.detect.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.TreeMap;

/** Makes a real directory the same as one in memory, by what differs. */
final class CrashMirror {
  private static final Instant FIRST_OPERATION = Instant.parse("2026-11-25T00:00:00Z");

  private final Path root;
  private Map<String, CrashState.Node> there = new TreeMap<>();

  CrashMirror(Path root) {
    this.root = root;
  }

  void show(CrashState state) throws IOException {
    var wanted = new TreeMap<>(state.nodes());
    for (var path : new TreeMap<>(there).descendingKeySet()) {
      var old = there.get(path);
      var now = wanted.get(path);
      if (old != null && (now == null || now.kind() != old.kind())) {
        Files.delete(root.resolve(path));
        there.remove(path);
      }
    }
    var folders = new HashSet<String>();
    for (var entry : wanted.entrySet()) {
      var path = root.resolve(entry.getKey());
      var node = entry.getValue();
      var old = there.get(entry.getKey());
      switch (node.kind()) {
        case FOLDER -> {
          folders.add(entry.getKey());
          if (old == null) {
            Files.createDirectory(path);
          }
        }
        case LINK -> {
          if (old == null || !old.link().equals(node.link())) {
            Files.deleteIfExists(path);
            Files.createSymbolicLink(path, Path.of(node.link()));
          }
        }
        case FILE -> {
          if (old == null || !Arrays.equals(old.data(), node.data())) {
            Files.write(path, node.data());
            date(path, node);
          } else if (old.micros() != node.micros()) {
            date(path, node);
          }
        }
      }
    }
    for (var path : folders) {
      var node = wanted.get(path);
      if (node != null) {
        date(root.resolve(path), node);
      }
    }
    there = wanted;
  }

  private static void date(Path path, CrashState.Node node) throws IOException {
    var time = FileTime.from(FIRST_OPERATION.plus(node.micros(), ChronoUnit.MICROS));
    Files.getFileAttributeView(path, BasicFileAttributeView.class).setTimes(time, null, null);
  }
}
