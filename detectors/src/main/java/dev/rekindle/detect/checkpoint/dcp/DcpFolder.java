package dev.rekindle.detect.checkpoint.dcp;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.LimitException;
import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Times;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.pickle.PickleException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Judges one folder of {@code torch.distributed.checkpoint}: its {@code .metadata}, which is
 * written last, says where in which file each piece of data is, so the length of every file is
 * known exactly. Other formats keep such folders as well, and judge them by this.
 */
public final class DcpFolder {
  /** Written last, by the coordinator. */
  public static final String MARKER = ".metadata";

  private static final String UNFINISHED = ".metadata.tmp";

  /** Without collectives each rank writes its own, for its own shards. */
  private static final Pattern OF_RANK = Pattern.compile("__(\\d{1,6})\\.metadata");

  private static final Pattern SHARD = Pattern.compile("__(\\d{1,6})_\\d+\\.distcp");

  private DcpFolder() {}

  /** Whether names in a folder are of this format. */
  public static boolean isOne(Collection<String> names) {
    return names.stream()
        .anyMatch(
            name ->
                name.equals(MARKER)
                    || name.equals(UNFINISHED)
                    || name.endsWith(".distcp")
                    || OF_RANK.matcher(name).matches());
  }

  /** The indexes of ranks in a folder; each rank writes its own after its shards. */
  static List<Entry> ofRanks(Folder folder) throws IOException {
    return folder.entries().stream()
        .filter(entry -> entry.isFile() && OF_RANK.matcher(entry.name()).matches())
        .toList();
  }

  /** Whether that is the name of the index of one rank. */
  static boolean isOfRank(String name) {
    return OF_RANK.matcher(name).matches();
  }

  /**
   * Judges a folder.
   *
   * @throws IOException when something cannot be read, or would cost too much
   */
  public static Verdict judge(Folder folder) throws IOException {
    var marker = folder.entry(MARKER).filter(Entry::isFile);
    if (marker.isPresent()) {
      return judge(folder, List.of(marker.get()));
    }
    var ofRanks = ofRanks(folder);
    if (!ofRanks.isEmpty()) {
      var fault = ranksFault(folder, ofRanks);
      return fault.isPresent() ? fault.get() : judge(folder, ofRanks);
    }
    return Verdict.torn(
        Level.L1,
        folder.hasFile(UNFINISHED)
            ? ".metadata.tmp was not renamed: the save did not end"
            : ".metadata is missing: it is written last");
  }

  /** Ranks from 0 on without a gap, each with an index for its shards. */
  private static Optional<Verdict> ranksFault(Folder folder, List<Entry> ofRanks)
      throws IOException {
    var indexes = new TreeSet<Integer>();
    ofRanks.forEach(entry -> indexes.add(rank(OF_RANK, entry.name())));
    var ranks = new TreeSet<>(indexes);
    for (var entry : folder.entries()) {
      if (SHARD.matcher(entry.name()).matches()) {
        ranks.add(rank(SHARD, entry.name()));
      }
    }
    for (int rank = 0; rank <= ranks.last(); rank++) {
      if (!indexes.contains(rank)) {
        return Optional.of(
            Verdict.torn(Level.L1, "__" + rank + ".metadata is missing: each rank writes one"));
      }
    }
    return Optional.empty();
  }

  private static int rank(Pattern pattern, String name) {
    var matcher = pattern.matcher(name);
    return matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
  }

  private static Verdict judge(Folder folder, List<Entry> indexes) throws IOException {
    var entries = 0L;
    for (var index : indexes) {
      if (index.bytes() == 0) {
        return Verdict.torn(Level.L2, index.name() + " is empty");
      }
      DcpIndex read;
      try {
        read = DcpIndex.read(folder, index.name());
      } catch (PickleException e) {
        var reason = index.name() + ": " + e.getMessage();
        return e.isCutOff() ? Verdict.torn(Level.L3, reason) : Verdict.unknown(Level.L3, reason);
      } catch (LimitException e) {
        return Verdict.unknown(Level.L2, String.valueOf(e.getMessage()));
      }
      var fault = filesFault(folder, index, read.ends());
      if (fault.isPresent()) {
        return fault.get();
      }
      entries += read.entries();
    }
    return entries == 0
        ? Verdict.unknown(Level.L3, "the index names no data")
        : Verdict.valid(Level.L3);
  }

  private static Optional<Verdict> filesFault(Folder folder, Entry index, Map<String, Long> ends)
      throws IOException {
    var shards = new ArrayList<Entry>();
    for (var end : ends.entrySet()) {
      var path = end.getKey();
      var shard = find(folder, path);
      if (shard.isEmpty()) {
        return Optional.of(Verdict.torn(Level.L2, Names.printable(path) + " is missing"));
      }
      if (!shard.get().isFile()) {
        return Optional.of(
            Verdict.unknown(Level.L2, Names.printable(path) + " is no file that may be read"));
      }
      var bytes = shard.get().bytes();
      if (bytes != end.getValue()) {
        return Optional.of(
            Verdict.torn(
                bytes == 0 ? Level.L2 : Level.L3,
                "%s has %d bytes, %s says %d"
                    .formatted(Names.printable(path), bytes, index.name(), end.getValue())));
      }
      shards.add(shard.get());
    }
    var newer = Times.newerThan(folder, index, shards);
    return newer.isPresent() || !folder.budget().readsEnds() || !folder.timesAreOfWrites()
        ? newer
        : ShardEnds.fault(folder, ends.keySet());
  }

  private static Optional<Entry> find(Folder folder, String path) throws IOException {
    var at = folder;
    var parts = path.split("/", -1);
    for (int i = 0; i < parts.length - 1; i++) {
      var name = parts[i];
      if (at.entry(name).filter(Entry::isFolder).isEmpty()) {
        return Optional.empty();
      }
      at = at.folder(name);
    }
    return at.entry(parts[parts.length - 1]);
  }
}
