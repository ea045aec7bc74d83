package dev.rekindle.detect.checkpoint.parts;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Whether the files of a checkpoint without a marker are of one save. A save that goes over files
 * of the same names and is killed leaves old ones beside new ones, each of them complete, and the
 * loader mixes them without an error. Then they were written further apart than one save takes: by
 * the checkpoints before it, or more than {@link #APART} where there are none.
 *
 * <p>Not seen: a save that goes over another one which is no older than three usual saves take.
 */
public final class OneSave {
  /** The longest time of one save where there is no earlier save to compare with. */
  static final Duration APART = Duration.ofMinutes(1);

  /** A shorter save is never in doubt: storage stalls at times. */
  static final Duration LEAST = Duration.ofSeconds(10);

  /** So many times as long as usual. */
  private static final int LONGER = 3;

  /** So many of the newest that were saved before count at most. */
  public static final int OTHERS = 5;

  private OneSave() {}

  /** The files of a checkpoint that each save writes. */
  @FunctionalInterface
  public interface Written {
    /**
     * Those of one checkpoint.
     *
     * @throws IOException when the folder cannot be listed
     */
    Collection<Entry> in(Folder folder) throws IOException;
  }

  /**
   * What the times of a checkpoint's files say, beside those of the same name but for the step.
   *
   * @param parent the folder that it is in with the others; the folder itself where there are none
   * @return Unknown with the first and the last of its files; empty where they are of one save
   * @throws IOException when a folder cannot be listed
   */
  public static Optional<Verdict> fault(Folder parent, Folder folder, Written written)
      throws IOException {
    var own = times(written.in(folder));
    if (length(own.values()).compareTo(LEAST) <= 0) {
      return Optional.empty();
    }
    var usual = new ArrayList<Duration>();
    var before = parent == folder ? List.<String>of() : OneBefore.names(parent, folder.name());
    for (var name : before.subList(0, Math.min(OTHERS, before.size()))) {
      var files = written.in(parent.folder(name));
      if (!files.isEmpty()) {
        usual.add(length(times(files).values()));
      }
    }
    return fault(own, usual);
  }

  /**
   * What times say.
   *
   * @param times when each file was written, by its name
   * @param usual how long the saves before it have taken, from the first file to the last
   */
  public static Optional<Verdict> fault(Map<String, Instant> times, Collection<Duration> usual) {
    var apart = length(times.values());
    if (apart.compareTo(most(usual)) <= 0) {
      return Optional.empty();
    }
    var byTime =
        times.entrySet().stream()
            .sorted(Map.Entry.<String, Instant>comparingByValue().thenComparing(Map.Entry::getKey))
            .toList();
    return Optional.of(
        Verdict.unknown(
            Level.L2,
            "%s was written %d s before %s%s: two saves may be mixed"
                .formatted(
                    Names.printable(byTime.getFirst().getKey()),
                    apart.toSeconds(),
                    Names.printable(byTime.getLast().getKey()),
                    usual.isEmpty()
                        ? ""
                        : ", and a save usually takes " + median(usual).toSeconds() + " s")));
  }

  /** From the first to the last of these times. */
  public static Duration length(Collection<Instant> times) {
    return times.isEmpty()
        ? Duration.ZERO
        : Duration.between(
            times.stream().min(Comparator.naturalOrder()).orElseThrow(),
            times.stream().max(Comparator.naturalOrder()).orElseThrow());
  }

  /** So long one save may take. */
  private static Duration most(Collection<Duration> usual) {
    if (usual.isEmpty()) {
      return APART;
    }
    var longer = median(usual).multipliedBy(LONGER);
    return longer.compareTo(LEAST) > 0 ? longer : LEAST;
  }

  /** One of them may be of two saves itself. */
  private static Duration median(Collection<Duration> usual) {
    return usual.stream().sorted().toList().get((usual.size() - 1) / 2);
  }

  private static SortedMap<String, Instant> times(Collection<Entry> files) {
    var times = new TreeMap<String, Instant>();
    files.forEach(file -> times.put(file.name(), file.modified()));
    return times;
  }
}
