package dev.rekindle.detect.nvml;

import dev.rekindle.detect.nvml.NvmlMemory.GpuCode;
import dev.rekindle.detect.nvml.NvmlMemory.Mark;
import dev.rekindle.detect.xid.RecoveryAction;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Keeps the memory in a file, a line for each GPU and each mark; replaced as a whole. */
final class NvmlMemoryFile {
  private static final String VERSION = "nvml-memory-1";

  /** A node has some tens of GPUs at most, each with a handful of marks. */
  private static final int MAX_BYTES = 65_536;

  private static final String GPU = "gpu";
  private static final String MARK = "mark";
  private final Path file;

  NvmlMemoryFile(Path file) {
    this.file = file;
  }

  /**
   * The memory of the agent before.
   *
   * @throws IOException when there is a file that cannot be read or holds something else
   */
  NvmlMemory read() throws IOException {
    List<String> lines;
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new IOException(file + " is too big");
      }
      lines = Files.readAllLines(file);
    } catch (NoSuchFileException firstStart) {
      return NvmlMemory.EMPTY;
    }
    if (lines.isEmpty() || !lines.getFirst().equals(VERSION)) {
      throw new IOException(file + " does not hold what was read from GPUs");
    }
    NavigableMap<String, KnownGpu> gpus = new TreeMap<>();
    NavigableMap<GpuCode, Mark> marks = new TreeMap<>();
    for (var line : lines.subList(1, lines.size())) {
      try {
        var words = line.split("\t", -1);
        switch (words[0]) {
          case GPU -> gpus.put(words[1], gpu(words));
          case MARK ->
              marks.put(
                  new GpuCode(words[1], words[2]),
                  new Mark(Instant.parse(words[3]), Instant.parse(words[4]), words[5]));
          default -> throw new IllegalArgumentException(words[0]);
        }
      } catch (RuntimeException e) {
        throw new IOException(file + " does not hold what was read from GPUs: " + line, e);
      }
    }
    return new NvmlMemory(gpus, marks);
  }

  private static KnownGpu gpu(String[] words) {
    NavigableSet<Integer> links = new TreeSet<>();
    if (!words[7].isEmpty()) {
      Arrays.stream(words[7].split(",")).map(Integer::valueOf).forEach(links::add);
    }
    return new KnownGpu(
        words[1],
        words[2],
        words[3].isEmpty() ? Optional.empty() : RecoveryAction.ofNumber(Integer.parseInt(words[3])),
        count(words[4]),
        count(words[5]),
        count(words[6]),
        links,
        List.of());
  }

  private static OptionalLong count(String word) {
    return word.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(word));
  }

  private static String word(OptionalLong count) {
    return count.isPresent() ? String.valueOf(count.getAsLong()) : "";
  }

  /** Replaces the file. */
  void write(NvmlMemory memory) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add(VERSION);
    for (var gpu : memory.gpus().values()) {
      lines.add(
          String.join(
              "\t",
              GPU,
              gpu.pci(),
              gpu.bootId(),
              gpu.action().map(action -> String.valueOf(action.number())).orElse(""),
              word(gpu.eccUncorrected()),
              word(gpu.linkReplays()),
              word(gpu.linkRecoveriesFailed()),
              gpu.linksUp().stream().map(String::valueOf).collect(Collectors.joining(","))));
    }
    memory
        .marks()
        .forEach(
            (key, mark) ->
                lines.add(
                    String.join(
                        "\t",
                        MARK,
                        key.pci(),
                        key.code(),
                        mark.since().toString(),
                        mark.told().toString(),
                        mark.bootId())));
    var temporary = file.resolveSibling(file.getFileName() + ".tmp");
    Files.write(temporary, lines, StandardCharsets.UTF_8);
    Files.move(
        temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
