package dev.rekindle.detect.checkpoint.orbax;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.LimitException;
import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Times;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.json.Json;
import dev.rekindle.detect.checkpoint.json.JsonException;
import dev.rekindle.detect.checkpoint.parts.Proof;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Judges one step of Orbax. It was committed when it has its final name, and its marker or the time
 * of the commit in its metadata; the arrays are in TensorStore's OCDBT, whose manifests have a
 * length and a checksum.
 */
final class OrbaxFolder {
  private static final String COMMIT = "commit_success.txt";
  private static final String METADATA = "_CHECKPOINT_METADATA";
  private static final String UNFINISHED = ".orbax-checkpoint-tmp";
  private static final int LONGEST_METADATA = 16 * 1024 * 1024;
  private static final int MOST_VALUES = 1_000_000;
  private static final int MOST_ENTRIES = 200_000;
  private static final int DEEPEST = 6;

  private final List<Entry> all = new ArrayList<>();

  private OrbaxFolder() {}

  /** Whether a folder with these names in it is one. */
  static boolean isOne(Collection<String> names) {
    return names.contains(METADATA)
        || names.contains(COMMIT)
        || names.stream().anyMatch(name -> name.contains(UNFINISHED));
  }

  static Verdict judge(Folder parent, Folder folder) throws IOException {
    if (folder.name().contains(UNFINISHED)) {
      return Verdict.torn(Level.L1, "it still has its temporary name: the save did not end");
    }
    var marker = folder.entry(COMMIT).filter(Entry::isFile);
    if (marker.isEmpty()) {
      marker = folder.entry(METADATA).filter(Entry::isFile);
    }
    if (marker.isEmpty()) {
      return Proof.torn(
          parent,
          folder,
          name -> name.equals(COMMIT) || name.equals(METADATA),
          Level.L1,
          COMMIT + " and " + METADATA + " are missing",
          "a version of Orbax that writes them");
    }
    var fault = uncommitted(folder);
    if (fault.isEmpty()) {
      var walk = new OrbaxFolder();
      fault = walk.fault(folder, DEEPEST);
      if (fault.isEmpty()) {
        fault = walk.newer(folder, marker.get());
      }
    }
    return fault.orElse(Verdict.VALID);
  }

  private static Optional<Verdict> uncommitted(Folder folder) throws IOException {
    if (!folder.hasFile(METADATA)) {
      return Optional.empty();
    }
    try {
      var bytes = ByteBuffer.wrap(folder.read(METADATA, LONGEST_METADATA));
      var time = Json.object(bytes, MOST_VALUES).get("commit_timestamp_nsecs");
      return time == null && !folder.hasFile(COMMIT)
          ? Optional.of(Verdict.torn(Level.L1, METADATA + " has no time of the commit"))
          : Optional.empty();
    } catch (JsonException e) {
      return Optional.of(Verdict.torn(Level.L3, METADATA + ": " + e.getMessage()));
    }
  }

  private Optional<Verdict> fault(Folder folder, int deepest) throws IOException {
    for (var entry : folder.entries()) {
      all.add(entry);
      if (all.size() > MOST_ENTRIES) {
        throw new LimitException("more than " + MOST_ENTRIES + " files and folders");
      }
      if (entry.name().contains(UNFINISHED)) {
        return torn(Level.L1, entry, "still has its temporary name");
      }
      var found = entry.isFolder() ? folderFault(folder, entry, deepest) : fileFault(folder, entry);
      if (found.isPresent()) {
        return found;
      }
    }
    var arrays = folder.hasFile(Manifest.NAME);
    return arrays && folder.entry("d").filter(Entry::isFolder).isEmpty()
        ? Optional.of(Verdict.torn(Level.L2, "the data beside " + Manifest.NAME + " is missing"))
        : Optional.empty();
  }

  private Optional<Verdict> folderFault(Folder folder, Entry entry, int deepest)
      throws IOException {
    if (deepest == 0) {
      throw new LimitException("folders lie deeper than " + DEEPEST);
    }
    var inside = folder.folder(entry.name());
    return inside.entries().isEmpty() && entry.name().equals("d")
        ? torn(Level.L2, entry, "has no data in it")
        : fault(inside, deepest - 1);
  }

  private static Optional<Verdict> fileFault(Folder folder, Entry entry) throws IOException {
    if (!entry.isFile()) {
      return Optional.of(
          Verdict.unknown(Level.L2, Names.printable(entry.name()) + " is not a regular file"));
    }
    if (entry.bytes() == 0 && !entry.name().endsWith(".__lock")) {
      return torn(Level.L2, entry, "is empty");
    }
    return entry.name().equals(Manifest.NAME) ? Manifest.fault(folder) : Optional.empty();
  }

  /** What was changed after the commit; a folder changes when names come or go. */
  private Optional<Verdict> newer(Folder folder, Entry marker) {
    var files = Times.newerThan(folder, marker, all.stream().filter(Entry::isFile).toList());
    return files.isPresent()
        ? files
        : Times.newerThan(folder, marker, all.stream().filter(Entry::isFolder).toList())
            .map(verdict -> Verdict.unknown(Level.L2, verdict.reason()));
  }

  private static Optional<Verdict> torn(Level level, Entry entry, String what) {
    return Optional.of(Verdict.torn(level, Names.printable(entry.name()) + " " + what));
  }
}
