package dev.rekindle.detect.checkpoint;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipFile;

/**
 * A recorded save: what was there before it, and its operations in their order. Written by
 * testbed/checkpoints/record.py, whose journal.py describes the file.
 *
 * @param name folder and file of the journal
 * @param format name of the format that must find both
 * @param oldStep a complete checkpoint that was there before
 * @param newStep the one that is saved
 * @param wholeIs the verdict on one that is complete
 * @param optional patterns of names that resuming does not need
 * @param before operations that make what was there, and their times before the first operation
 * @param operations of the save
 */
record CrashJournal(
    String name,
    String format,
    Named oldStep,
    Named newStep,
    String wholeIs,
    List<String> optional,
    List<Operation> before,
    List<Operation> operations) {

  /** A checkpoint by its step, and its path below the root. */
  record Named(long step, String path) {}

  /**
   * One operation of the file system.
   *
   * @param micros when, from the first operation of the save
   * @param kind mkdir, create, write, truncate, rename, link, symlink, unlink, rmdir or sync
   * @param path what it is done to
   * @param other the target of a rename or a link, else empty
   * @param at offset of a write, or the size that a file is cut or stretched to
   * @param data what is written
   */
  @SuppressWarnings("ArrayRecordComponent") // Bytes that are never changed, and never compared.
  record Operation(long micros, String kind, String path, String other, int at, byte[] data) {}

  static CrashJournal read(Path file) throws IOException {
    try (var zip = new ZipFile(file.toFile())) {
      var text = new String(bytes(zip, "journal"), StandardCharsets.UTF_8);
      var data = bytes(zip, "bytes");
      var head = text.substring(0, text.indexOf("\n\n"));
      var lines = text.substring(head.length() + 2).split("\n", -1);
      Map<String, List<String>> facts = new TreeMap<>();
      for (var line : head.split("\n", -1)) {
        var tab = line.indexOf('\t');
        facts
            .computeIfAbsent(line.substring(0, tab), _ -> new ArrayList<>())
            .add(line.substring(tab + 1));
      }
      var before = new ArrayList<Operation>();
      var operations = new ArrayList<Operation>();
      var begun = false;
      for (var line : lines) {
        if (line.equals("begin")) {
          begun = true;
        } else if (!line.isEmpty()) {
          (begun ? operations : before).add(operation(line.split("\t", -1), data));
        }
      }
      return new CrashJournal(
          file.subpath(file.getNameCount() - 2, file.getNameCount()).toString(),
          facts.getOrDefault("format", List.of("")).getFirst(),
          named(facts.getOrDefault("old", List.of()).getFirst()),
          named(facts.getOrDefault("new", List.of()).getFirst()),
          facts.getOrDefault("whole", List.of("Valid")).getFirst(),
          facts.getOrDefault("optional", List.of()),
          before,
          operations);
    }
  }

  private static byte[] bytes(ZipFile zip, String name) throws IOException {
    try (var in = zip.getInputStream(zip.getEntry(name))) {
      return in.readAllBytes();
    }
  }

  private static Named named(String text) {
    var space = text.indexOf(' ');
    return new Named(Long.parseLong(text.substring(0, space)), text.substring(space + 1));
  }

  private static Operation operation(String[] fields, byte[] all) {
    var micros = Long.parseLong(fields[0]);
    return switch (fields[1]) {
      case "write" -> {
        var from = Integer.parseInt(fields[4]);
        var data = new byte[Integer.parseInt(fields[5])];
        System.arraycopy(all, from, data, 0, data.length);
        yield new Operation(micros, fields[1], fields[2], "", Integer.parseInt(fields[3]), data);
      }
      case "truncate" ->
          new Operation(micros, fields[1], fields[2], "", Integer.parseInt(fields[3]), new byte[0]);
      case "rename", "link", "symlink" ->
          new Operation(micros, fields[1], fields[2], fields[3], 0, new byte[0]);
      default -> new Operation(micros, fields[1], fields[2], "", 0, new byte[0]);
    };
  }
}
