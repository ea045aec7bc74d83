package dev.rekindle.detect.checkpoint.format;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * One checkpoint: all files that were saved for one step.
 *
 * @param format name of the format that found it
 * @param path below the scanned directory, with slashes; empty where that directory itself is one
 * @param parent the folder that its path is in, with trackers and other generations
 * @param folder that which holds its files: itself, or the one that its single file is in
 * @param entry what its path is, a folder or a file
 * @param step from its name, or from a file in it; empty where nothing names it
 * @param stepless why there is no step, a clause; empty where there is one
 */
public record Generation(
    String format,
    String path,
    Folder parent,
    Folder folder,
    Entry entry,
    OptionalLong step,
    String stepless) {

  /** One that is the folder of that name in another; its step is that of the folder's name. */
  public static Generation folder(String format, Folder parent, Entry entry) {
    return folder(format, parent, entry, StepName.ofFolder(entry.name()));
  }

  /** One that is the folder of that name in another. */
  public static Generation folder(String format, Folder parent, Entry entry, StepName.Named named) {
    var folder = parent.folder(entry.name());
    return new Generation(
        format, folder.path(), parent, folder, entry, StepName.step(named), StepName.why(named));
  }

  /** One that is a single file. */
  public static Generation file(String format, Folder parent, Entry entry, StepName.Named named) {
    var path = parent.path().isEmpty() ? entry.name() : parent.path() + "/" + entry.name();
    return new Generation(
        format, path, parent, parent, entry, StepName.step(named), StepName.why(named));
  }

  /** One that is the whole of the scanned directory. */
  public static Generation root(String format, Folder root, StepName.Named named) {
    var entry = new Entry("", Entry.Kind.FOLDER, 0, Instant.EPOCH, 0);
    return new Generation(
        format, root.path(), root, root, entry, StepName.step(named), StepName.why(named));
  }

  /** Whether a path is this one's, or is in it. */
  public boolean holds(String other) {
    return path.isEmpty() || other.equals(path) || other.startsWith(path + "/");
  }
}
