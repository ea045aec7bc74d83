package dev.rekindle.detect.freeze;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * What a container has used since it was started, as its cgroups count it, in version 2 ({@code
 * cpu.stat}, {@code io.stat}) or version 1 ({@code cpuacct.usage}, {@code blkio}), or both. What
 * its processes used that have ended since is in it. Version 1 is asked first: beside it version 2
 * may have the folder and none of the processes.
 */
public final class ContainerUsage {
  /** A device has a line; no node has so many. */
  private static final int MOST_BYTES = 64 << 10;

  private static final String V1_IO = "blkio.throttle.io_service_bytes";

  private final List<Path> unified;
  private final List<Path> cpu;
  private final List<Path> io;

  private ContainerUsage(List<Path> unified, List<Path> cpu, List<Path> io) {
    this.unified = unified;
    this.cpu = cpu;
    this.io = io;
  }

  /**
   * Finds the cgroups of a container, of which there may be none.
   *
   * @param root the node's cgroup file system
   * @throws IOException when it cannot be read
   * @throws IllegalArgumentException when that cannot be the id of a container
   */
  public static ContainerUsage of(Path root, String container) throws IOException {
    var finder = new CgroupFinder(root);
    var name = new ContainerName(container);
    return new ContainerUsage(
        finder.folders("", name), finder.folders("cpuacct", name), finder.folders("blkio", name));
  }

  /** Processor time in microseconds; empty where no cgroup counts it. */
  public OptionalLong cpuMicros() {
    for (var folder : cpu) {
      var nanos = number(text(folder, "cpuacct.usage").strip());
      if (nanos.isPresent()) {
        return OptionalLong.of(nanos.getAsLong() / 1000);
      }
    }
    for (var folder : unified) {
      var micros = cpuOfVersion2(text(folder, "cpu.stat"));
      if (micros.isPresent()) {
        return micros;
      }
    }
    return OptionalLong.empty();
  }

  /** Bytes read from and written to block devices; empty where no cgroup counts them. */
  public OptionalLong ioBytes() {
    for (var folder : io) {
      for (var file : List.of(V1_IO + "_recursive", V1_IO)) {
        var bytes = ioOfVersion1(text(folder, file));
        if (bytes.isPresent()) {
          return bytes;
        }
      }
    }
    for (var folder : unified) {
      if (Files.exists(folder.resolve("io.stat"))) {
        return OptionalLong.of(ioOfVersion2(text(folder, "io.stat")));
      }
    }
    return OptionalLong.empty();
  }

  private static OptionalLong cpuOfVersion2(String stat) {
    return stat.lines()
        .filter(line -> line.startsWith("usage_usec "))
        .map(line -> number(line.substring(line.indexOf(' ') + 1).strip()))
        .findFirst()
        .orElse(OptionalLong.empty());
  }

  /** {@code 8:0 rbytes=4096 wbytes=0 rios=1 wios=0 dbytes=0 dios=0}, a line for each device. */
  private static long ioOfVersion2(String stat) {
    long all = 0;
    for (var word : stat.split("\\s+", -1)) {
      if (word.startsWith("rbytes=") || word.startsWith("wbytes=")) {
        all += number(word.substring("rbytes=".length())).orElse(0);
      }
    }
    return all;
  }

  /** {@code 8:0 Read 4096} and more, and at the end {@code Total 4096}. */
  private static OptionalLong ioOfVersion1(String stat) {
    return stat.lines()
        .filter(line -> line.startsWith("Total "))
        .map(line -> number(line.substring("Total ".length()).strip()))
        .findFirst()
        .orElse(OptionalLong.empty());
  }

  private static OptionalLong number(String text) {
    try {
      return OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  /** Empty for a file that is not there, or whose group has just gone. */
  private static String text(Path folder, String file) {
    try (var in = Files.newInputStream(folder.resolve(file))) {
      return new String(in.readNBytes(MOST_BYTES), StandardCharsets.US_ASCII);
    } catch (IOException gone) {
      return "";
    }
  }
}
