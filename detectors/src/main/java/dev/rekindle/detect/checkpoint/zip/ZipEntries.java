package dev.rekindle.detect.checkpoint.zip;

import dev.rekindle.detect.checkpoint.files.Source;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Walks the central directory of an archive and holds every entry against the file: its local
 * header is where the directory says and names the same entry, and its data ends before the next
 * entry begins. Data is not read, but for the small {@code data.pkl}, whose checksum is compared.
 */
final class ZipEntries {
  /** Far above any checkpoint seen (one entry a tensor), far below what would hurt to read. */
  static final int MAX_ENTRIES = 200_000;

  private static final int MAX_DIRECTORY = 64 * 1024 * 1024;
  private static final int STORED = 0;
  private static final int MAX_CHECKSUM = 16 * 1024 * 1024;
  private static final int CENTRAL_SIGNATURE = 0x02014b50;
  private static final int CENTRAL_SIZE = 46;
  private static final int LOCAL_SIGNATURE = 0x04034b50;
  private static final int LOCAL_SIZE = 30;
  private static final long IN_EXTRA = 0xFFFFFFFFL;

  /** Of the flags: encrypted, patched, strongly encrypted, masked headers. */
  private static final int UNREADABLE = 1 | 1 << 5 | 1 << 6 | 1 << 13;

  /** Of the attributes: a folder of DOS. */
  private static final int A_FOLDER = 0x10;

  private final Source file;
  private final ZipEnd end;
  private final boolean deep;
  private boolean pickleSeen;
  private long dataEnd;

  /** Where the data of an entry is, and how long, in the file and uncompressed. */
  private record Data(long offset, long stored, long original, long checksum) {}

  ZipEntries(Source file, ZipEnd end, Level upTo) {
    this.file = file;
    this.end = end;
    this.deep = upTo.compareTo(Level.L4) >= 0;
  }

  Verdict check() throws IOException {
    if (end.directoryOffset() < 0
        || end.directorySize() < 0
        || end.directoryOffset() > end.endOffset()
        || end.directorySize() != end.endOffset() - end.directoryOffset()) {
      return Verdict.torn(Level.L3, "the central directory does not reach to the END record");
    }
    if (end.entries() < 0 || end.entries() > MAX_ENTRIES || end.directorySize() > MAX_DIRECTORY) {
      return Verdict.unknown(Level.L3, "the archive has too many entries to read");
    }
    var directory = file.read(end.directoryOffset(), (int) end.directorySize());
    file.ahead(ZipOffsets.of(directory.duplicate().order(directory.order())), LOCAL_SIZE + 64);
    for (long entry = 0; entry < end.entries(); entry++) {
      var fault = checkEntry(directory, entry);
      if (fault.isPresent()) {
        return fault.get();
      }
    }
    if (directory.hasRemaining()) {
      return Verdict.torn(
          Level.L3, "the central directory holds more than its " + end.entries() + " entries");
    }
    return pickleSeen
        ? Verdict.valid(deep ? Level.L4 : Level.L3)
        : Verdict.unknown(Level.L3, "the archive has no data.pkl, so torch.save did not write it");
  }

  private Optional<Verdict> checkEntry(ByteBuffer directory, long number) throws IOException {
    var at = directory.position();
    if (directory.remaining() < CENTRAL_SIZE || directory.getInt(at) != CENTRAL_SIGNATURE) {
      return torn("the central directory is broken at entry " + number);
    }
    var nameLength = Short.toUnsignedInt(directory.getShort(at + 28));
    var extraLength = Short.toUnsignedInt(directory.getShort(at + 30));
    var commentLength = Short.toUnsignedInt(directory.getShort(at + 32));
    var length = CENTRAL_SIZE + nameLength + extraLength + commentLength;
    if (directory.remaining() < length) {
      return torn("the central directory is broken at entry " + number);
    }
    var name = directory.slice(at + CENTRAL_SIZE, nameLength);
    var stored = Integer.toUnsignedLong(directory.getInt(at + 20));
    var original = Integer.toUnsignedLong(directory.getInt(at + 24));
    var offset = Integer.toUnsignedLong(directory.getInt(at + 42));
    if (stored == IN_EXTRA || original == IN_EXTRA || offset == IN_EXTRA) {
      var extra = directory.slice(at + CENTRAL_SIZE + nameLength, extraLength);
      var big = Zip64Extra.read(extra.order(directory.order()), original, stored, offset);
      if (big.isEmpty()) {
        return torn("entry " + number + " lacks its ZIP64 sizes");
      }
      original = big.get().original();
      stored = big.get().stored();
      offset = big.get().offset();
    }
    var fault = fieldsFault(directory, at, number);
    if (fault.isPresent()) {
      return fault;
    }
    var checksum = Integer.toUnsignedLong(directory.getInt(at + 16));
    var method = Short.toUnsignedInt(directory.getShort(at + 10));
    if (method == STORED && original != stored) {
      return torn("entry " + number + " is not compressed, and has two lengths");
    }
    directory.position(at + length);
    return checkData(name, method, new Data(offset, stored, original, checksum));
  }

  /** What a reader refuses, and no writer of checkpoints makes: a bit that was turned. */
  private static Optional<Verdict> fieldsFault(ByteBuffer directory, int at, long number) {
    var method = Short.toUnsignedInt(directory.getShort(at + 10));
    if (method != STORED && method != ZipChecksum.DEFLATED) {
      return Optional.of(
          Verdict.unknown(Level.L3, "entry " + number + " is compressed by method " + method));
    }
    if ((directory.getShort(at + 8) & UNREADABLE) != 0) {
      return torn("entry " + number + " is marked as encrypted or as a patch");
    }
    if (directory.getShort(at + 34) != 0) {
      return torn("entry " + number + " is said to be in another file");
    }
    return (directory.getInt(at + 38) & A_FOLDER) == 0
        ? Optional.empty()
        : torn("entry " + number + " is marked as a folder");
  }

  private Optional<Verdict> checkData(ByteBuffer name, int method, Data data) throws IOException {
    var label = label(name);
    var offset = data.offset();
    var stored = data.stored();
    if (offset < dataEnd || stored < 0 || offset > end.directoryOffset() - LOCAL_SIZE) {
      return torn("entry " + label + " is not where the central directory says");
    }
    var room = end.directoryOffset() - offset - LOCAL_SIZE;
    var header = file.read(offset, LOCAL_SIZE + (int) Math.min(name.remaining(), room));
    if (header.getInt(0) != LOCAL_SIGNATURE
        || Short.toUnsignedInt(header.getShort(26)) != name.remaining()
        || !header.slice(LOCAL_SIZE, header.remaining() - LOCAL_SIZE).equals(name)) {
      return torn("the header of entry " + label + " is overwritten or was never written");
    }
    var dataStart =
        offset + LOCAL_SIZE + name.remaining() + Short.toUnsignedInt(header.getShort(28));
    if (dataStart > end.directoryOffset() || stored > end.directoryOffset() - dataStart) {
      return torn("the data of entry " + label + " does not end before the central directory");
    }
    dataEnd = dataStart + stored;
    var isPickle = label.equals("data.pkl") || label.endsWith("/data.pkl");
    pickleSeen |= isPickle;
    if (!deep && !(isPickle && stored <= MAX_CHECKSUM)) {
      return Optional.empty();
    }
    if (ZipChecksum.of(file, dataStart, stored, data.original(), method) == data.checksum()) {
      return Optional.empty();
    }
    return Optional.of(
        Verdict.torn(
            deep ? Level.L4 : Level.L3,
            "the checksum of entry " + label + " does not fit its data"));
  }

  /** The name for a reason: at most 100 printable characters. */
  private static String label(ByteBuffer name) {
    var text = StandardCharsets.UTF_8.decode(name.duplicate()).toString();
    var printable = text.replaceAll("[^ -~]", "?");
    return printable.length() <= 100
        ? printable
        : "..." + printable.substring(printable.length() - 97);
  }

  private static Optional<Verdict> torn(String reason) {
    return Optional.of(Verdict.torn(Level.L3, reason));
  }
}
