package dev.rekindle.detect.checkpoint.megatron;

import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.torch.TorchSave;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * A folder of Megatron's own layout: one folder a model-parallel rank, {@code mp_rank_TT}, {@code
 * mp_rank_TT_PPP} or {@code mp_rank_TT_PPP_EEE}. They are as many as tensor, pipeline and expert
 * ranks give, each with the same files.
 */
final class LegacyFolder {
  private static final String MODEL = "model_optim_rng.pt";
  private static final Pattern RANK =
      Pattern.compile("mp_rank_(\\d{2,4})(?:_(\\d{3,5}))?(?:_(\\d{3,5}))?");

  private final Folder root;
  private final Folder folder;
  private final Level upTo;

  LegacyFolder(Folder root, Folder folder, Level upTo) {
    this.root = root;
    this.folder = folder;
    this.upTo = upTo;
  }

  Verdict judge() throws IOException {
    var ranks = ranks(folder);
    if (ranks.isEmpty()) {
      return folder.entries().isEmpty()
          ? Verdict.torn(Level.L2, "the folder is empty")
          : Verdict.unknown(Level.L2, "it holds neither ranks nor shards");
    }
    var missing = missing(ranks);
    if (!missing.isEmpty()) {
      return Verdict.torn(Level.L2, missing + " is missing");
    }
    var files = files(ranks.first());
    for (var rank : ranks) {
      if (!files(rank).equals(files)) {
        return Verdict.torn(Level.L2, rank + " has other files than " + ranks.first());
      }
    }
    if (!files.contains(MODEL)) {
      return Verdict.torn(Level.L2, MODEL + " is missing");
    }
    for (var rank : ranks) {
      var of = folder.folder(rank);
      for (var file : files) {
        var verdict = TorchSave.judge(of, of.entry(file).orElseThrow(), upTo);
        if (!verdict.isValid()) {
          return verdict.in(rank + "/" + file);
        }
      }
    }
    return fewerThanOthers(ranks)
        .map(other -> Verdict.unknown(Level.L2, other))
        .orElse(Verdict.valid(upTo).ofRanks(ranks.size()));
  }

  private static SortedSet<String> ranks(Folder folder) throws IOException {
    var ranks = new TreeSet<String>();
    for (var entry : folder.entries()) {
      if (entry.isFolder() && RANK.matcher(entry.name()).matches()) {
        ranks.add(entry.name());
      }
    }
    return ranks;
  }

  private SortedSet<String> files(String rank) throws IOException {
    var files = new TreeSet<String>();
    for (var entry : folder.folder(rank).entries()) {
      if (!entry.isFolder() && entry.name().endsWith(".pt")) {
        files.add(entry.name());
      }
    }
    return files;
  }

  /** A rank without which tensor, pipeline and expert ranks do not multiply; empty where none. */
  private static String missing(Set<String> ranks) {
    List<Set<String>> parts = List.of(new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
    for (var rank : ranks) {
      var numbers = RANK.matcher(rank);
      for (int i = 0; numbers.matches() && i < parts.size(); i++) {
        var part = numbers.group(i + 1);
        parts.get(i).add(part == null ? "" : "_" + part);
      }
    }
    var first = counted(parts.getFirst(), "mp_rank");
    for (var tensor : first) {
      for (var pipeline : counted(parts.get(1), "")) {
        for (var expert : counted(parts.get(2), "")) {
          var name = tensor + pipeline + expert;
          if (!ranks.contains(name)) {
            return name;
          }
        }
      }
    }
    return "";
  }

  /** All numbers from 0 to the greatest, as they are written. */
  private static List<String> counted(Set<String> numbers, String prefix) {
    var last = numbers.stream().reduce("", (one, other) -> one.compareTo(other) > 0 ? one : other);
    if (last.isEmpty()) {
      return List.of(prefix);
    }
    var digits = last.length() - 1;
    var all = new ArrayList<String>();
    for (int i = 0; i <= Integer.parseInt(last.substring(1)); i++) {
      all.add(prefix + "_" + ("%0" + digits + "d").formatted(i));
    }
    return all;
  }

  /** Where another iteration has the same ranks and more, this one may lack some. */
  private Optional<String> fewerThanOthers(Set<String> ranks) throws IOException {
    for (var entry : root.entries()) {
      if (!entry.isFolder() || !entry.name().startsWith("iter_")) {
        continue;
      }
      var others = new HashSet<String>();
      for (var name : root.folder(entry.name()).sample()) {
        if (RANK.matcher(name).matches()) {
          others.add(name);
        }
      }
      if (others.size() > ranks.size() && others.containsAll(ranks)) {
        return Optional.of(
            "%d ranks; %s has %d".formatted(ranks.size(), entry.name(), others.size()));
      }
    }
    return Optional.empty();
  }
}
