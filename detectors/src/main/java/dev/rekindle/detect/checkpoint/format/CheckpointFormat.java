package dev.rekindle.detect.checkpoint.format;

import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.LimitException;
import java.io.IOException;
import java.util.Optional;

/**
 * A way in which training programs keep checkpoints. Without state: a scan asks it to find, then to
 * judge what it has found, newest first, and continues where it throws.
 *
 * <p>Formats are asked in the order of the registry, the more specific ones first. What one has
 * found, and what is in it, belongs to it: a format that is asked later does not get it. A format
 * whose checkpoints hold another one's (Megatron's hold those of torch.distributed.checkpoint)
 * judges them with that one's judge.
 *
 * <p>Everything that is read is a tenant's: names, sizes and contents may be anything. Nothing of
 * it is executed, no class is resolved, and nothing is read without a bound.
 */
public interface CheckpointFormat {
  /** Its name in annotations, options and reports: lower case, digits and dashes. */
  String name();

  /** What it is called in a sentence. */
  String title();

  /**
   * Finds what may be checkpoints of this format, complete or not: a half-written one that is not
   * found would be taken for none. Reads little: {@link Folder#sample} of a folder, a tracker.
   *
   * @param root the directory that is scanned
   * @throws IOException when something that it needs cannot be read: a doubt about all of them
   */
  Findings find(Folder root) throws IOException;

  /**
   * Judges one that it has found.
   *
   * @param upTo {@link Level#L3}, or {@link Level#L4} where every byte is to be read; a format that
   *     has no checksums answers at L3
   * @throws LimitException when it would cost more than it may: nothing can be said
   * @throws IOException when reading fails: the same. A file that ends too soon ({@link
   *     java.io.EOFException}) is torn
   */
  Verdict judge(Generation generation, Level upTo) throws IOException;

  /**
   * The tracker that a framework resumes by, as it is where it names a checkpoint.
   *
   * @param checkpoint name of the folder of the checkpoint, beside the tracker
   * @return empty where there is no such file, or where that is no checkpoint of this format
   */
  default Optional<TrackerFile> tracker(String checkpoint) {
    return Optional.empty();
  }
}
