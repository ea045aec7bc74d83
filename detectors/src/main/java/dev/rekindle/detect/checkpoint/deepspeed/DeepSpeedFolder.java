package dev.rekindle.detect.checkpoint.deepspeed;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Times;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.parts.OneBefore;
import dev.rekindle.detect.checkpoint.parts.OneSave;
import dev.rekindle.detect.checkpoint.parts.Parts;
import dev.rekindle.detect.checkpoint.parts.Proof;
import dev.rekindle.detect.pickle.PickleException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Judges one folder of DeepSpeed's engine. Its files are those of all ranks: a file of a model's
 * states says of how many, so that none may be missing (deepspeed/runtime/engine.py).
 */
public final class DeepSpeedFolder {
  private static final String LATEST = "latest";

  /** States of the optimizer, a folder for each parameter (deepspeed/checkpoint/constants.py). */
  private static final String UNIVERSAL = "zero";

  /** States of layers under a pipeline, and of experts: no file says how many there are. */
  private static final Pattern OF_LAYER = Pattern.compile("(?:layer|expp_rank)_\\d+.*\\.pt");

  private static final int LONGEST_TAG = 4096;

  private DeepSpeedFolder() {}

  /** Whether names in a folder are those of DeepSpeed's files. */
  public static boolean isOne(Collection<String> names) {
    return names.stream()
        .anyMatch(name -> name.endsWith("_model_states.pt") || name.endsWith("_optim_states.pt"));
  }

  /**
   * Judges a folder.
   *
   * @param parent that which it is in, and the tracker
   * @throws IOException when something cannot be read, or would cost too much
   */
  public static Verdict judge(Folder parent, Folder folder, Level upTo) throws IOException {
    if (folder.entry(UNIVERSAL).filter(Entry::isFolder).isPresent()) {
      return Verdict.unknown(Level.L1, "a universal checkpoint of DeepSpeed is not judged");
    }
    var files = Parts.files(folder);
    if (!isOne(folder.sample()) && !parent.hasFile(LATEST)) {
      return Proof.torn(
          parent,
          folder,
          name -> isOne(List.of(name)),
          Level.L2,
          "no states of a model are in it",
          "DeepSpeed");
    }
    var latest = ofLatest(parent, folder, files);
    if (latest.isPresent()) {
      return latest.get();
    }
    var ranks = RankFiles.of(files);
    var fault = ranks.gap();
    if (fault.isEmpty()) {
      fault = Parts.fault(folder, files, upTo);
    }
    if (fault.isPresent()) {
      return fault.get();
    }
    try {
      var world = World.read(folder, ranks.anyModelStates());
      var missing = ranks.missing(world);
      if (missing.isEmpty()) {
        missing = OneBefore.lacks(parent, folder, name -> OF_LAYER.matcher(name).matches());
      }
      if (missing.isEmpty() && !parent.hasFile(LATEST)) {
        missing = OneSave.fault(parent, folder, DeepSpeedFolder::states);
      }
      return missing.orElse(Verdict.VALID.withNote(dangling(parent)).ofRanks(world.ranks()));
    } catch (PickleException e) {
      return Verdict.unknown(
          Level.L3, ranks.anyModelStates() + " does not say how many ranks: " + e.getMessage());
    }
  }

  /** What each save writes; a script may put other files beside it at any time. */
  private static List<Entry> states(Folder folder) throws IOException {
    return Parts.files(folder).stream().filter(file -> file.name().endsWith("_states.pt")).toList();
  }

  /** What to know of a tracker that names nothing which is there; empty where it does. */
  private static String dangling(Folder parent) throws IOException {
    if (!parent.hasFile(LATEST)) {
      return "";
    }
    var tag = new String(parent.read(LATEST, LONGEST_TAG), StandardCharsets.UTF_8).strip();
    if (tag.isEmpty()) {
      return "latest is empty";
    }
    return parent.entry(tag).filter(Entry::isFolder).isPresent()
        ? ""
        : "latest names " + Names.printable(tag) + ", which is not there";
  }

  /** Where there is a tracker, no file may be newer, and a tag that it did not come to is open. */
  private static Optional<Verdict> ofLatest(Folder parent, Folder folder, Collection<Entry> files)
      throws IOException {
    var tracker = parent.entry(LATEST).filter(Entry::isFile);
    if (tracker.isEmpty()) {
      return Optional.empty();
    }
    var newer = Times.newerThan(parent, tracker.get(), files);
    if (newer.isEmpty() || !parent.timesAreOfWrites()) {
      return newer;
    }
    var tag = new String(parent.read(LATEST, LONGEST_TAG), StandardCharsets.UTF_8).strip();
    return tag.equals(folder.name())
        ? newer
        : Optional.of(
            Verdict.torn(
                Level.L1,
                "latest names "
                    + Names.printable(tag)
                    + " and is older than the files of this one: its save did not end"));
  }
}
