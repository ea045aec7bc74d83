package dev.rekindle.detect.checkpoint.format;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Names;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Whether files of one generation were written when its marker says. */
public final class Times {
  /** So far the clocks of machines that write to one file system may differ. */
  public static final Duration SKEW = Duration.ofSeconds(2);

  private static final String MIXED = "two saves are mixed";

  private Times() {}

  /** Whether that is why a generation is torn: by times alone, all its files may be complete. */
  public static boolean areMixed(Verdict verdict) {
    return verdict.kind() == Verdict.Kind.TORN && verdict.reason().endsWith(MIXED);
  }

  /**
   * A marker is written last, so a file that is newer belongs to another save: into a folder that
   * had one already, which did not end. The loader would mix the two without an error. Where times
   * are those of uploads, it may as well be a copy in another order, and nothing can be said.
   *
   * @param folder one of the same storage
   * @return the verdict on such a generation; empty where no file is newer
   */
  public static Optional<Verdict> newerThan(Folder folder, Entry marker, Collection<Entry> files) {
    return files.stream()
        .max(Comparator.comparing(Entry::modified))
        .filter(newest -> newest.modified().isAfter(marker.modified().plus(SKEW)))
        .map(
            newest -> {
              var how =
                  "%s was %s %s s after %s: "
                      .formatted(
                          Names.printable(newest.name()),
                          folder.timesAreOfWrites() ? "written" : "uploaded",
                          Duration.between(marker.modified(), newest.modified()).toSeconds(),
                          Names.printable(marker.name()));
              return folder.timesAreOfWrites()
                  ? Verdict.torn(Level.L2, how + MIXED)
                  : Verdict.unknown(Level.L2, how + MIXED + ", or the marker was not copied last");
            });
  }
}
