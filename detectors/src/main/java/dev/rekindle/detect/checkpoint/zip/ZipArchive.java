package dev.rekindle.detect.checkpoint.zip;

import dev.rekindle.detect.checkpoint.files.Source;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.util.Optional;

/** An archive of {@code torch.save}. */
public final class ZipArchive {
  private ZipArchive() {}

  /**
   * Judges an archive by its END record and its central directory.
   *
   * @param upTo {@link Level#L4} also reads every entry and compares its checksum
   * @return empty where no complete END record is found
   * @throws IOException when reading fails, or would cost too much
   */
  public static Optional<Verdict> judge(Source file, Level upTo) throws IOException {
    var end = ZipEnd.find(file, file.size());
    return end.isEmpty()
        ? Optional.empty()
        : Optional.of(new ZipEntries(file, end.get(), upTo).check());
  }
}
