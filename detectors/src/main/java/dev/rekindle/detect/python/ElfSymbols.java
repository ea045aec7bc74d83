package dev.rekindle.detect.python;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The exported symbols of a program or library, as it stands in memory (elf(5)). Only what the
 * loader itself uses is read: program headers, the dynamic section, hash table, symbols and names.
 *
 * <p>All of it is in the memory of a process that may hold anything: tables are followed for so
 * many entries and no more.
 */
final class ElfSymbols {
  private static final int ELF = 0x464c457f;
  private static final byte BITS_64 = 2;
  private static final byte LITTLE_ENDIAN = 1;
  private static final int PROGRAM_HEADERS_AT = 32;
  private static final int PROGRAM_HEADERS = 56;
  private static final int HEADER = 64;
  private static final int PROGRAM_HEADER = 56;
  private static final int MOST_HEADERS = 64;
  private static final int LOAD = 1;
  private static final int DYNAMIC = 2;

  private static final int TAG_NULL = 0;
  private static final int TAG_STRINGS = 5;
  private static final int TAG_SYMBOLS = 6;
  private static final int TAG_GNU_HASH = 0x6ffffef5;
  private static final int MOST_TAGS = 256;

  private static final int SYMBOL = 24;
  private static final int SYMBOL_VALUE = 8;

  /** Symbols of one bucket; a hash table of a linker has a few. */
  private static final int MOST_CHAIN = 256;

  private final ProcessMemory memory;
  private final long bias;
  private final long strings;
  private final long symbols;
  private final long hash;

  private ElfSymbols(ProcessMemory memory, long bias, long strings, long symbols, long hash) {
    this.memory = memory;
    this.bias = bias;
    this.strings = strings;
    this.symbols = symbols;
    this.hash = hash;
  }

  /**
   * The symbols of a file that is mapped there.
   *
   * @param base where its beginning is
   * @return empty where that is no ELF file of 64 bits with a GNU hash table
   * @throws IOException where it cannot be read
   */
  static Optional<ElfSymbols> at(ProcessMemory memory, long base) throws IOException {
    ByteBuffer header = memory.words(base, HEADER);
    if (header.getInt(0) != ELF || header.get(4) != BITS_64 || header.get(5) != LITTLE_ENDIAN) {
      return Optional.empty();
    }
    long at = header.getLong(PROGRAM_HEADERS_AT);
    int count = Short.toUnsignedInt(header.getShort(PROGRAM_HEADERS));
    if (count > MOST_HEADERS || at < 0 || at > Integer.MAX_VALUE) {
      return Optional.empty();
    }
    ByteBuffer headers = memory.words(base + at, count * PROGRAM_HEADER);
    OptionalLong first = OptionalLong.empty();
    OptionalLong dynamic = OptionalLong.empty();
    for (int i = 0; i < count; i++) {
      int type = headers.getInt(i * PROGRAM_HEADER);
      long virtual = headers.getLong(i * PROGRAM_HEADER + 16);
      if (type == LOAD && first.isEmpty()) {
        first = OptionalLong.of(virtual);
      } else if (type == DYNAMIC) {
        dynamic = OptionalLong.of(virtual);
      }
    }
    if (first.isEmpty() || dynamic.isEmpty()) {
      return Optional.empty();
    }
    // Linkers put the first segment at the beginning of a page.
    long bias = base - (first.getAsLong() & -4096L);
    return dynamic(memory, base, bias, bias + dynamic.getAsLong());
  }

  private static Optional<ElfSymbols> dynamic(
      ProcessMemory memory, long base, long bias, long address) throws IOException {
    long strings = 0;
    long symbols = 0;
    long hash = 0;
    for (int i = 0; i < MOST_TAGS; i++) {
      ByteBuffer entry = memory.words(address + 16L * i, 16);
      long tag = entry.getLong(0);
      if (tag == TAG_NULL) {
        break;
      }
      // glibc has made addresses of these; musl leaves offsets.
      long value = entry.getLong(8);
      long absolute = Long.compareUnsigned(value, base) < 0 ? bias + value : value;
      if (tag == TAG_STRINGS) {
        strings = absolute;
      } else if (tag == TAG_SYMBOLS) {
        symbols = absolute;
      } else if (tag == TAG_GNU_HASH) {
        hash = absolute;
      }
    }
    return strings == 0 || symbols == 0 || hash == 0
        ? Optional.empty()
        : Optional.of(new ElfSymbols(memory, bias, strings, symbols, hash));
  }

  /**
   * The address of a symbol.
   *
   * @return empty where it is not exported
   * @throws IOException where a table cannot be read
   */
  OptionalLong address(String name) throws IOException {
    ByteBuffer header = memory.words(hash, 16);
    long buckets = Integer.toUnsignedLong(header.getInt(0));
    long firstHashed = Integer.toUnsignedLong(header.getInt(4));
    long bloom = Integer.toUnsignedLong(header.getInt(8));
    if (buckets == 0) {
      return OptionalLong.empty();
    }
    int wanted = gnuHash(name);
    long bucketsAt = hash + 16 + 8 * bloom;
    long chainsAt = bucketsAt + 4 * buckets;
    long index =
        Integer.toUnsignedLong(
            memory.word(bucketsAt + 4 * (Integer.toUnsignedLong(wanted) % buckets)));
    if (index < firstHashed) {
      return OptionalLong.empty();
    }
    for (int i = 0; i < MOST_CHAIN; i++, index++) {
      int own = memory.word(chainsAt + 4 * (index - firstHashed));
      // The lowest bit marks the end of a chain.
      if ((own | 1) == (wanted | 1) && isNamed(index, name)) {
        return OptionalLong.of(bias + memory.pointer(symbols + SYMBOL * index + SYMBOL_VALUE));
      }
      if ((own & 1) != 0) {
        break;
      }
    }
    return OptionalLong.empty();
  }

  private boolean isNamed(long index, String name) throws IOException {
    long at = strings + Integer.toUnsignedLong(memory.word(symbols + SYMBOL * index));
    byte[] expected = (name + "\0").getBytes(StandardCharsets.US_ASCII);
    return Arrays.equals(memory.read(at, expected.length), expected);
  }

  private static int gnuHash(String name) {
    int value = 5381;
    for (byte letter : name.getBytes(StandardCharsets.US_ASCII)) {
      value = value * 33 + letter;
    }
    return value;
  }
}
