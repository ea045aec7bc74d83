package dev.rekindle.detect.checkpoint.dcp;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Times;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A checkpoint in parts, each a folder of {@code torch.distributed.checkpoint}: {@code
 * step-30/model} and {@code step-30/optim}. Nothing in it says which parts belong to it, so it is
 * held against the one before it, which has the same parts, written in the same order.
 */
final class DcpParts {
  /** Folders within one that are searched. */
  private static final int MOST = 16;

  private DcpParts() {}

  /**
   * The parts of a folder, by name; none where it is no such checkpoint.
   *
   * @throws IOException when it cannot be listed
   */
  static List<String> of(Folder folder) throws IOException {
    var parts = new TreeSet<String>();
    if (DcpFolder.isOne(folder.sample())) {
      return List.of();
    }
    // Files of other formats have endings; those that have none are few.
    var candidates = folder.sample().stream().filter(n -> n.indexOf('.') < 0).sorted().limit(MOST);
    for (var name : candidates.toList()) {
      if (DcpFolder.isOne(folder.folder(name).sample())) {
        parts.add(name);
      }
    }
    return List.copyOf(parts);
  }

  /**
   * Judges one by its parts, and by those of the one before it.
   *
   * @throws IOException when something cannot be read, or would cost too much
   */
  static Verdict judge(Folder parent, Folder folder, OptionalLong step) throws IOException {
    var parts = of(folder);
    var worst = Verdict.VALID;
    for (var part : parts) {
      var verdict = DcpFolder.judge(folder.folder(part));
      if (isWorse(verdict, worst)) {
        worst = verdict.in(part);
      }
    }
    if (!worst.isValid()) {
      return worst;
    }
    var before = before(parent, step);
    if (before.isEmpty()) {
      return parts.size() > 1
          ? worst
          : Verdict.unknown(
              Level.L1,
              "only %s is in it, and there is no older one to compare it with"
                  .formatted(Names.printable(String.join(", ", parts))));
    }
    var usual = of(before.get());
    for (var part : usual) {
      if (!parts.contains(part)) {
        return Verdict.torn(
            Level.L1,
            "%s is missing: %s has it"
                .formatted(Names.printable(part), Names.printable(before.get().name())));
      }
    }
    return mixed(folder, usual, before.get()).orElse(worst);
  }

  private static boolean isWorse(Verdict one, Verdict than) {
    return switch (one.kind()) {
      case TORN -> than.kind() != Verdict.Kind.TORN;
      case UNKNOWN -> than.isValid();
      case VALID -> false;
    };
  }

  /** The newest one before that step. */
  private static Optional<Folder> before(Folder parent, OptionalLong step) throws IOException {
    var older = new ArrayList<Entry>();
    for (var entry : parent.entries()) {
      var other = DcpFormat.step(entry);
      if (entry.isFolder()
          && other.isPresent()
          && step.isPresent()
          && other.getAsLong() < step.getAsLong()) {
        older.add(entry);
      }
    }
    older.sort(Comparator.comparingLong(entry -> -DcpFormat.step(entry).orElse(0)));
    for (var entry : older) {
      var folder = parent.folder(entry.name());
      if (!of(folder).isEmpty()) {
        return Optional.of(folder);
      }
    }
    return Optional.empty();
  }

  /**
   * A save over a complete one that was cut off between two parts leaves the last part as it was:
   * older than the others, which it is not in the checkpoint before it.
   */
  private static Optional<Verdict> mixed(Folder folder, List<String> parts, Folder before)
      throws IOException {
    var usual = written(before, parts).entrySet().stream().max(Map.Entry.comparingByValue());
    var own = written(folder, parts);
    var newest = own.entrySet().stream().max(Map.Entry.comparingByValue());
    var last = usual.map(entry -> own.get(entry.getKey()));
    if (newest.isEmpty()
        || last.isEmpty()
        || !newest.get().getValue().isAfter(last.get().plus(Times.SKEW))) {
      return Optional.empty();
    }
    return Optional.of(
        Verdict.unknown(
            Level.L2,
            "%s was written %s s after %s, which %s has as its last part: two saves may be mixed"
                .formatted(
                    Names.printable(newest.get().getKey()),
                    Duration.between(last.get(), newest.get().getValue()).toSeconds(),
                    Names.printable(usual.get().getKey()),
                    Names.printable(before.name()))));
  }

  /** When each part was over: its index is written last. */
  private static Map<String, Instant> written(Folder folder, List<String> parts)
      throws IOException {
    var times = new TreeMap<String, Instant>();
    for (var part : parts) {
      var marker = folder.folder(part).entry(DcpFolder.MARKER).map(Entry::modified);
      if (marker.isPresent()) {
        times.put(part, marker.get());
      }
    }
    return times;
  }
}
