package dev.rekindle.detect.checkpoint.dcp;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.parts.OneBefore;
import dev.rekindle.detect.checkpoint.parts.Parts;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * What a script saves beside the shards, which no index has: its own state, those of its data
 * loaders, {@code step-30/train_state.pt} and {@code step-30/train/rank0.pt}. It resumes from these
 * as well, and is killed while it writes them as often.
 */
final class FilesBeside {
  private static final List<String> ENDINGS = List.of(".pt", ".pth", ".ckpt", ".safetensors");

  /** Folders within one that are searched. */
  private static final int MOST = 16;

  private FilesBeside() {}

  /**
   * What is wrong with them: one is torn, or one is missing that the checkpoint before has. One of
   * which nothing can be said is none of this format's, and does not count.
   *
   * @throws IOException when something cannot be read, or would cost too much
   */
  static Optional<Verdict> fault(Generation generation, Level upTo) throws IOException {
    var folder = generation.folder();
    var torn = torn(folder, upTo);
    if (torn.isPresent()) {
      return torn;
    }
    var folders =
        folder.entries().stream()
            .filter(entry -> entry.isFolder() && entry.name().indexOf('.') < 0)
            .map(Entry::name)
            .sorted()
            .limit(MOST)
            .toList();
    for (var name : folders) {
      if (folder.folder(name).sample().stream().anyMatch(FilesBeside::isOne)) {
        var within = torn(folder.folder(name), upTo);
        if (within.isPresent()) {
          return Optional.of(within.get().in(name));
        }
      }
    }
    return generation.path().isEmpty()
        ? Optional.empty()
        : OneBefore.lacks(generation.parent(), folder, FilesBeside::isOne);
  }

  private static Optional<Verdict> torn(Folder folder, Level upTo) throws IOException {
    // Each takes some requests, as the end of a shard does: empty ones show without.
    var reads = folder.budget().readsEnds();
    var files =
        Parts.files(folder).stream()
            .filter(file -> isOne(file.name()) && (reads || file.bytes() == 0))
            .toList();
    return Parts.fault(folder, files, upTo).filter(v -> v.kind() == Verdict.Kind.TORN);
  }

  private static boolean isOne(String name) {
    return !name.startsWith(".") && ENDINGS.stream().anyMatch(name::endsWith);
  }
}
