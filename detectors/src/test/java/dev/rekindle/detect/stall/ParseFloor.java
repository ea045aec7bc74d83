package dev.rekindle.detect.stall;

import dev.rekindle.detect.flightrecorder.DumpException;
import dev.rekindle.detect.flightrecorder.DumpReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What {@code analyze} takes at least: reads and parses the dumps of a directory one after the
 * other, and keeps none. A benchmark, run by hand: {@code ParseFloor DIRECTORY}.
 */
final class ParseFloor {
  private ParseFloor() {}

  public static void main(String[] args) throws IOException, DumpException {
    var reader = new DumpReader();
    long operations = 0;
    int rank = 0;
    try (Stream<Path> files = Files.list(Path.of(args[0]))) {
      for (var file : files.sorted().toList()) {
        var dump = reader.read(rank++, Files.readAllBytes(file));
        operations += dump.groups().values().stream().mapToLong(g -> g.operations().size()).sum();
      }
    }
    System.out.println(rank + " dumps, " + operations + " operations kept of them");
  }
}
