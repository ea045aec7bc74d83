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
 * of the commit in its metadata; the arrays are in databases of TensorStore.
 */
final class OrbaxFolder {
  private static final String COMMIT = "commit_success.txt";
  private static final String METADATA = "_CHECKPOINT_METADATA";
  private static final String UNFINISHED = ".orbax-checkpoint-tmp";
  private static final int LONGEST_METADATA = 16 * 1024 * 1024;
  private static final int MOST_VALUES = 1_000_000;
  private static final int MOST_ENTRIES = 200_000;
  private static final int DEEPEST = 6;

  /** Each process writes its own, and a merged one beside them names what is in their files. */
  private static final String OF_PROCESS = "ocdbt.process_";

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
      fault = walk.fault(folder, false, DEEPEST);
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

  /**
   * What is wrong in a folder.
   *
   * @param isMerged whether an index beside it says what of it is read, and how long that is
   */
  private Optional<Verdict> fault(Folder folder, boolean isMerged, int deepest) throws IOException {
    boolean hasIndex = folder.hasFile(Manifest.NAME);
    for (var entry : folder.entries()) {
      all.add(entry);
      if (all.size() > MOST_ENTRIES) {
        throw new LimitException("more than " + MOST_ENTRIES + " files and folders");
      }
      if (entry.name().contains(UNFINISHED)) {
        return torn(Level.L1, entry, "still has its temporary name");
      }
      if (entry.isFolder()) {
        if (deepest == 0) {
          throw new LimitException("folders lie deeper than " + DEEPEST);
        }
        boolean isOfProcess = entry.name().startsWith(OF_PROCESS);
        if (isOfProcess && !hasIndex) {
          return torn(
              Level.L1, entry, "has no " + Manifest.NAME + " beside it that names its data");
        }
        var found = fault(folder.folder(entry.name()), isMerged || isOfProcess, deepest - 1);
        if (found.isPresent()) {
          return found;
        }
      } else if (!isMerged) {
        var found = fileFault(entry);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return hasIndex && !isMerged ? databaseFault(folder) : Optional.empty();
  }

  private static Optional<Verdict> databaseFault(Folder folder) throws IOException {
    try {
      Database.check(folder);
      return Optional.empty();
    } catch (OcdbtException e) {
      return Optional.of(e.verdict());
    }
  }

  private static Optional<Verdict> fileFault(Entry entry) {
    if (!entry.isFile()) {
      return Optional.of(
          Verdict.unknown(Level.L2, Names.printable(entry.name()) + " is not a regular file"));
    }
    if (entry.bytes() == 0 && !entry.name().endsWith(".__lock")) {
      return torn(Level.L2, entry, "is empty");
    }
    return Optional.empty();
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
