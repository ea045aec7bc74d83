package dev.rekindle.detect.python;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the reader has read of a real process, by address: a first line with the base of the
 * interpreter and the number of the main thread, then {@code ADDRESS HEX} each.
 */
final class RecordedMemory implements ProcessMemory {
  final long base;
  final long mainThread;
  private final TreeMap<Long, byte[]> ranges = new TreeMap<>();

  private RecordedMemory(long base, long mainThread) {
    this.base = base;
    this.mainThread = mainThread;
  }

  /** The record of one version of CPython. */
  static RecordedMemory of(String version) throws IOException {
    var lines = Files.readAllLines(Path.of("src/test/resources/python-stacks", version + ".txt"));
    var head = lines.getFirst().split(" ", -1);
    var memory = new RecordedMemory(Long.parseLong(head[0], 16), Long.parseLong(head[1]));
    for (var line : lines.subList(1, lines.size())) {
      int space = line.indexOf(' ');
      memory.put(
          Long.parseLong(line.substring(0, space), 16),
          HexFormat.of().parseHex(line.substring(space + 1)));
    }
    return memory;
  }

  private void put(long address, byte[] bytes) {
    ranges.merge(address, bytes, (one, other) -> one.length > other.length ? one : other);
  }

  /** Writes over what was there. */
  void write(long address, byte[] bytes) {
    var range = ranges.floorEntry(address);
    System.arraycopy(bytes, 0, range.getValue(), (int) (address - range.getKey()), bytes.length);
  }

  /** All that can be read. */
  Map<Long, byte[]> ranges() {
    return ranges;
  }

  @Override
  public byte[] read(long address, int bytes) throws IOException {
    for (var range : ranges.headMap(address, true).descendingMap().entrySet()) {
      long from = address - range.getKey();
      if (bytes >= 0 && from + bytes <= range.getValue().length) {
        var copy = new byte[bytes];
        System.arraycopy(range.getValue(), (int) from, copy, 0, bytes);
        return copy;
      }
    }
    throw new EOFException("not recorded: 0x" + Long.toHexString(address));
  }

  /**
   * Records the process of a number into a file. The frames are printed.
   *
   * @param args the process and the file
   */
  public static void main(String[] args) throws IOException {
    long pid = Long.parseLong(args[0]);
    var proc = Path.of("/proc");
    var file = MappedFile.interpreters(Files.readString(proc.resolve(pid + "/maps"))).getFirst();
    var record = new RecordedMemory(file.base(), pid);
    try (var memory = new LinuxMemory(proc, pid)) {
      ProcessMemory both =
          (address, bytes) -> {
            var read = memory.read(address, bytes);
            record.put(address, read);
            return read;
          };
      PythonThread.read(both, ElfSymbols.at(both, file.base()).orElseThrow(), pid)
          .frames()
          .forEach(System.out::println);
    }
    var text = new StringBuilder("%x %d\n".formatted(file.base(), pid));
    record.ranges.forEach(
        (address, bytes) ->
            text.append("%x %s\n".formatted(address, HexFormat.of().formatHex(bytes))));
    Files.writeString(Path.of(args[1]), text);
  }
}
