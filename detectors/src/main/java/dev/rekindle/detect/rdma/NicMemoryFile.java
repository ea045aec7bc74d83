package dev.rekindle.detect.rdma;

import dev.rekindle.detect.state.StateFile;
import dev.rekindle.detect.state.StateFolder;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.stream.Stream;

/** Keeps the memory in a file. */
final class NicMemoryFile {
  /** A port needs about 2 kB. */
  private static final int MAX_BYTES = 1 << 20;

  /** No clock shows a time before or after these; to count on from one further off may fail. */
  private static final Instant FIRST = Instant.EPOCH;

  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");

  private final StateFile<NicMemory> file;

  NicMemoryFile(StateFolder folder) {
    file = folder.file("nic-memory", "nic-memory-2", NicMemory.class, MAX_BYTES);
  }

  /**
   * The memory of the agent before; empty when there is no file.
   *
   * @throws IOException when there is a file that cannot be read or holds something else
   */
  NicMemory read() throws IOException {
    NicMemory memory = file.read().orElse(NicMemory.EMPTY);
    if (memory.ports().values().stream()
        .flatMap(NicMemoryFile::times)
        .anyMatch(NicMemoryFile::isOff)) {
      throw new IOException("what was kept of RDMA ports has times that no clock shows");
    }
    return memory;
  }

  /** Replaces the file. */
  void write(NicMemory memory) throws IOException {
    file.write(memory);
  }

  private static Stream<Instant> times(KnownPort port) {
    Link link = port.link();
    Tally tally = port.tally();
    Stream<Instant> single =
        Stream.of(
                Stream.ofNullable(link.downSince()),
                Stream.ofNullable(link.upSince()),
                Stream.ofNullable(tally.time()),
                Stream.ofNullable(tally.hour()))
            .flatMap(one -> one);
    Stream<Instant> lists =
        Stream.<Collection<Instant>>of(link.flaps(), tally.exceeded(), port.reported().values())
            .flatMap(Collection::stream);
    return Stream.concat(single, lists);
  }

  private static boolean isOff(Instant time) {
    return time.isBefore(FIRST) || time.isAfter(LAST);
  }
}
