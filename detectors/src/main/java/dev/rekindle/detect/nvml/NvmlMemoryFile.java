package dev.rekindle.detect.nvml;

import dev.rekindle.detect.nvml.NvmlMemory.GpuCode;
import dev.rekindle.detect.nvml.NvmlMemory.Mark;
import dev.rekindle.detect.state.StateFile;
import dev.rekindle.detect.state.StateFolder;
import dev.rekindle.detect.xid.RecoveryAction;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Keeps the memory in a file. What is of minutes only is left out. */
final class NvmlMemoryFile {
  /** A node has some tens of GPUs at most, each with a handful of marks. */
  private static final int MAX_BYTES = 256 << 10;

  /** No clock shows a time before or after these; to count on from one further off may fail. */
  private static final Instant FIRST = Instant.EPOCH;

  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");

  /** What the file holds. */
  private record Stored(List<Gpu> gpus, List<Condition> conditions) {
    private record Gpu(
        String pci,
        String bootId,
        @Nullable Integer action,
        @Nullable Long eccUncorrected,
        @Nullable Long linkReplays,
        @Nullable Long linkRecoveriesFailed,
        List<Integer> linksUp) {
      private static Gpu of(KnownGpu gpu) {
        return new Gpu(
            gpu.pci(),
            gpu.bootId(),
            gpu.action().map(RecoveryAction::number).orElse(null),
            orNull(gpu.eccUncorrected()),
            orNull(gpu.linkReplays()),
            orNull(gpu.linkRecoveriesFailed()),
            List.copyOf(gpu.linksUp()));
      }

      private KnownGpu known() {
        return new KnownGpu(
            pci,
            bootId,
            Optional.ofNullable(action).flatMap(RecoveryAction::ofNumber),
            count(eccUncorrected),
            count(linkReplays),
            count(linkRecoveriesFailed),
            new TreeSet<>(linksUp),
            List.of());
      }
    }

    private record Condition(
        String pci, String code, Instant since, Instant reported, String bootId) {}

    private static Stored of(NvmlMemory memory) {
      return new Stored(
          memory.gpus().values().stream().map(Gpu::of).toList(),
          memory.marks().entrySet().stream()
              .map(
                  entry ->
                      new Condition(
                          entry.getKey().pci(),
                          entry.getKey().code(),
                          entry.getValue().since(),
                          entry.getValue().reported(),
                          entry.getValue().bootId()))
              .toList());
    }

    private NvmlMemory memory() {
      NavigableMap<String, KnownGpu> known = new TreeMap<>();
      gpus.forEach(gpu -> known.put(gpu.pci(), gpu.known()));
      NavigableMap<GpuCode, Mark> marks = new TreeMap<>();
      conditions.forEach(
          c ->
              marks.put(
                  new GpuCode(c.pci(), c.code()), new Mark(c.since(), c.reported(), c.bootId())));
      return new NvmlMemory(known, marks);
    }

    private static @Nullable Long orNull(OptionalLong count) {
      return count.isPresent() ? count.getAsLong() : null;
    }

    private static OptionalLong count(@Nullable Long stored) {
      return stored == null ? OptionalLong.empty() : OptionalLong.of(stored);
    }
  }

  private final StateFile<Stored> file;

  NvmlMemoryFile(StateFolder folder) {
    file = folder.file("nvml-memory", "nvml-memory-2", Stored.class, MAX_BYTES);
  }

  /**
   * The memory of the agent before.
   *
   * @throws IOException when there is a file that cannot be read or holds something else
   */
  NvmlMemory read() throws IOException {
    try {
      NvmlMemory memory = file.read().map(Stored::memory).orElse(NvmlMemory.EMPTY);
      if (memory.marks().values().stream().anyMatch(NvmlMemoryFile::isOff)) {
        throw new IOException("what was kept of GPUs has times that no clock shows");
      }
      return memory;
    } catch (RuntimeException incomplete) {
      throw new IOException("what was kept of GPUs is incomplete", incomplete);
    }
  }

  private static boolean isOff(Mark mark) {
    return Stream.of(mark.since(), mark.reported())
        .anyMatch(t -> t.isBefore(FIRST) || t.isAfter(LAST));
  }

  /** Replaces the file. */
  void write(NvmlMemory memory) throws IOException {
    file.write(Stored.of(memory));
  }
}
