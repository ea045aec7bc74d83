package dev.rekindle.detect.checkpoint.dcp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Folders as torch.distributed.checkpoint writes them, with the opcodes that CPython 3 uses for
 * protocol 4. Real ones of PyTorch are judged by the harness in testbed/checkpoints.
 */
public final class DcpFixture {
  private static final String PACKAGE = "torch.distributed.checkpoint.";

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final Map<String, Integer> memo = new LinkedHashMap<>();

  private DcpFixture() {}

  /** Writes a complete save: shards first, the index a second after them. */
  public static void write(Path folder, int ranks, int pieces, int bytes, Instant when) {
    try {
      Files.createDirectories(folder);
      for (int rank = 0; rank < ranks; rank++) {
        file(folder.resolve("__" + rank + "_0.distcp"), data(pieces * bytes), when);
      }
      file(folder.resolve(".metadata"), index(0, ranks, pieces, bytes), when.plusSeconds(1));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Data that does not end in zeros, as no piece that PyTorch writes does. */
  public static byte[] data(int length) {
    var data = new byte[length];
    Arrays.fill(data, (byte) 1);
    return data;
  }

  /** Writes a file with its time. */
  public static void file(Path file, byte[] bytes, Instant when) throws IOException {
    Files.write(file, bytes);
    Files.setLastModifiedTime(file, FileTime.from(when));
  }

  /** A Metadata over the shards of some ranks, the first of which has this number. */
  public static byte[] index(int first, int ranks, int pieces, int bytes) {
    var fixture = new DcpFixture();
    fixture.write(0x80, 4, 0x95).number(0, 8);
    fixture.object("metadata", "Metadata");
    fixture.write('}').memoize().write('(');
    fixture.text("state_dict_metadata").write('}').memoize();
    fixture.text("storage_data").write('}').memoize().write('(');
    for (int rank = first; rank < first + ranks; rank++) {
      for (int piece = 0; piece < pieces; piece++) {
        fixture.entry(rank, piece, bytes);
      }
    }
    fixture.write('u').text("planner_data").write('N', 'u', 'b', '.');
    return fixture.out.toByteArray();
  }

  private void entry(int rank, int piece, int bytes) {
    object("metadata", "MetadataIndex");
    write('}').memoize().write('(').text("fqn").text("layer." + piece + ".weight");
    text("offset").global("torch", "Size");
    write('K', 0, 'K', 0, 0x86).memoize().write(0x85).memoize().write('R').memoize();
    text("index").write('K', rank, 'u', 'b');
    object("filesystem", "_StorageInfo");
    write('}').memoize().write('(').text("relative_path").text("__" + rank + "_0.distcp");
    text("offset").write('J').number((long) piece * bytes, 4);
    text("length").write('J').number(bytes, 4).write('u', 'b');
  }

  private void object(String module, String name) {
    global(PACKAGE + module, name);
    write(')', 0x81).memoize();
  }

  private DcpFixture global(String module, String name) {
    var key = module + "." + name;
    if (refer(key)) {
      return this;
    }
    text(module).text(name).write(0x93);
    memo.put(key, memo.size());
    return write(0x94);
  }

  private DcpFixture text(String text) {
    if (refer(text)) {
      return this;
    }
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    write(0x8c, bytes.length);
    out.writeBytes(bytes);
    memo.put(text, memo.size());
    return write(0x94);
  }

  private boolean refer(String key) {
    var known = memo.get(key);
    if (known != null) {
      write('j').number(known, 4);
    }
    return known != null;
  }

  private DcpFixture memoize() {
    memo.put("value " + memo.size(), memo.size());
    return write(0x94);
  }

  private DcpFixture number(long number, int length) {
    for (int i = 0; i < length; i++) {
      out.write((int) (number >> (8 * i)));
    }
    return this;
  }

  private DcpFixture write(int... bytes) {
    for (var one : bytes) {
      out.write(one);
    }
    return this;
  }
}
