package dev.rekindle.detect.python;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.Frame;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Feeds memory to the reader of Python stacks: recorded memory, as text, of which any letter may be
 * another one. The program can write what it likes there.
 */
public final class MemoryFuzz {
  private static final Path RECORDS = Path.of("../detectors/src/test/resources/python-stacks");
  private static final int MOST_NAME = 128;

  private MemoryFuzz() {}

  /** Records of each version that is read. */
  public static String[] records() {
    try {
      List<String> records = new ArrayList<>();
      for (var version : List.of("3.10", "3.11", "3.12", "3.13", "3.14")) {
        records.add(Files.readString(RECORDS.resolve(version + ".txt")));
      }
      return records.toArray(String[]::new);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A record, and its bytes as mappings and as a table of lines. */
  public static void memory(byte[] input) {
    if (LineTable.line(input, input.length, 40) < 0
        || LineTable.lineOfPairs(input, input.length, 40) < 0) {
      throw new AssertionError("a negative line");
    }
    var text = new String(input, StandardCharsets.UTF_8);
    if (MappedFile.interpreters(text).size() > 8) {
      throw new AssertionError("too many interpreters");
    }
    try {
      var memory = new Memory(text);
      var symbols = ElfSymbols.at(memory, memory.base);
      if (symbols.isPresent()) {
        check(PythonThread.read(memory, symbols.get(), 1).frames());
      }
    } catch (IOException unreadable) {
      // What the readers say of memory that is not there.
    }
  }

  private static void check(List<Frame> frames) {
    if (frames.size() > RankEvidence.MOST_FRAMES) {
      throw new AssertionError("frames: " + frames.size());
    }
    for (var frame : frames) {
      if (frame.function().length() > MOST_NAME
          || frame.file().length() > MOST_NAME
          || frame.toString().chars().anyMatch(Character::isISOControl)) {
        throw new AssertionError("not for people: " + frame);
      }
    }
  }

  private static final class Memory implements ProcessMemory {
    final long base;
    private final TreeMap<Long, byte[]> ranges = new TreeMap<>();

    Memory(String text) {
      long first = 0;
      for (var line : text.split("\n", -1)) {
        var words = line.split(" ", 2);
        long address = number(words[0]);
        first = first == 0 ? address : first;
        ranges.put(address, bytes(words.length < 2 ? "" : words[1]));
      }
      base = first;
    }

    private static long number(String hex) {
      long value = 0;
      for (int i = 0; i < hex.length(); i++) {
        value = value << 4 | Math.max(0, Character.digit(hex.charAt(i), 16));
      }
      return value;
    }

    private static byte[] bytes(String hex) {
      var bytes = new byte[hex.length() / 2];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) number(hex.substring(2 * i, 2 * i + 2));
      }
      return bytes;
    }

    @Override
    public byte[] read(long address, int bytes) throws IOException {
      var range = ranges.floorEntry(address);
      if (range == null || bytes < 0) {
        throw new EOFException();
      }
      long from = address - range.getKey();
      if (from < 0 || from > range.getValue().length - bytes) {
        throw new EOFException();
      }
      var copy = new byte[bytes];
      System.arraycopy(range.getValue(), (int) from, copy, 0, bytes);
      return copy;
    }
  }
}
