package dev.rekindle.detect.checkpoint.verl;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.format.Findings;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.StepName;
import dev.rekindle.detect.checkpoint.format.Times;
import dev.rekindle.detect.checkpoint.format.TrackerFile;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.megatron.Tracker;
import dev.rekindle.detect.checkpoint.parts.Parts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * verl with FSDP: folders {@code global_step_100} with {@code actor} and {@code critic} in them,
 * each with files of all ranks; of supervised training the files lie in the folder itself. The
 * tracker beside them has Megatron's name, is written last, and verl resumes by it.
 */
public final class VerlFormat implements CheckpointFormat {
  private static final Pattern STEP = Pattern.compile("global_step_(\\d{1,18})");

  @Override
  public String name() {
    return "verl";
  }

  @Override
  public String title() {
    return "verl";
  }

  @Override
  public Findings find(Folder root) throws IOException {
    var generations = new ArrayList<Generation>();
    boolean isVerl = false;
    for (var entry : root.entries()) {
      var matcher = STEP.matcher(entry.name());
      if (entry.isFolder() && matcher.matches()) {
        var step = new StepName.Step(Long.parseLong(matcher.group(1)));
        generations.add(Generation.folder(name(), root, entry, step));
        isVerl |= !holders(root.folder(entry.name())).isEmpty();
      }
    }
    return isVerl
        ? new Findings(generations, List.of(), List.of(Tracker.NAME))
        : new Findings(List.of(), List.of());
  }

  /** The folders with files of ranks: itself, or those in it. */
  private static List<Folder> holders(Folder folder) throws IOException {
    var names = folder.sample();
    if (names.stream().anyMatch(RankFile::isOne)) {
      return List.of(folder);
    }
    var holders = new ArrayList<Folder>();
    for (var name : names.stream().filter(n -> n.indexOf('.') < 0).sorted().toList()) {
      if (folder.folder(name).sample().stream().anyMatch(RankFile::isOne)) {
        holders.add(folder.folder(name));
      }
    }
    return holders;
  }

  @Override
  public Verdict judge(Generation generation, Level upTo) throws IOException {
    var folder = generation.folder();
    var holders = holders(folder);
    if (holders.isEmpty()) {
      return folder.sample().isEmpty()
          ? Verdict.torn(Level.L2, "no file of a rank is in it")
          : Verdict.unknown(Level.L2, "no file of a rank is in it as verl saves with FSDP");
    }
    int ranks = 0;
    for (var holder : holders) {
      var files = Parts.files(holder);
      var fault = missing(holder, files);
      if (fault.isEmpty()) {
        fault = Parts.fault(holder, files, upTo);
      }
      if (fault.isPresent()) {
        return holder.path().equals(folder.path()) ? fault.get() : fault.get().in(holder.name());
      }
      ranks = Math.max(ranks, worlds(files).last());
    }
    var beside = Parts.fault(folder, Parts.files(folder), upTo);
    return beside.isPresent()
        ? beside.get()
        : byTracker(generation, holders).orElse(Verdict.VALID.ofRanks(ranks));
  }

  private static NavigableSet<Integer> worlds(List<Entry> files) {
    var worlds = new TreeSet<Integer>();
    files.forEach(file -> RankFile.of(file.name()).ifPresent(of -> worlds.add(of.world())));
    return worlds;
  }

  /** What is missing of the ranks that the names count. */
  private static Optional<Verdict> missing(Folder holder, List<Entry> files) throws IOException {
    var worlds = worlds(files);
    if (worlds.isEmpty()) {
      return Optional.of(Verdict.unknown(Level.L2, "the files of its ranks are gone"));
    }
    if (worlds.size() > 1) {
      return Optional.of(
          Verdict.unknown(
              Level.L2,
              "it has files of saves by %d and by %d ranks"
                  .formatted(worlds.first(), worlds.last())));
    }
    var kinds = new TreeSet<String>();
    files.forEach(file -> RankFile.of(file.name()).ifPresent(of -> kinds.add(of.kind())));
    if (!kinds.contains(RankFile.MODEL)) {
      return Optional.of(Verdict.unknown(Level.L2, "it has no model of a rank"));
    }
    for (var kind : kinds) {
      for (int rank = 0; rank < worlds.first(); rank++) {
        var name = new RankFile(kind, worlds.first(), rank).name();
        if (!holder.hasFile(name)) {
          return Optional.of(Verdict.torn(Level.L2, Names.printable(name) + " is missing"));
        }
      }
    }
    return Optional.empty();
  }

  /** Why verl would not resume from one that is whole, or should not. */
  private static Optional<Verdict> byTracker(Generation generation, List<Folder> holders)
      throws IOException {
    var read = Tracker.read(generation.parent());
    if (read.isEmpty()) {
      return Optional.of(
          Verdict.unknown(Level.L0, Tracker.NAME + " is missing: verl would start from nothing"));
    }
    var tracker = read.get();
    if (generation.step().orElse(-1) > tracker.iteration()) {
      return Optional.of(
          Verdict.unknown(
              Level.L0,
              "newer than %s says (%d), which is last"
                  .formatted(Tracker.NAME, tracker.iteration())));
    }
    var files = new ArrayList<>(Parts.files(generation.folder()));
    for (var holder : holders) {
      files.addAll(Parts.files(holder));
    }
    return Times.newerThan(generation.parent(), tracker.entry(), files);
  }

  @Override
  public Optional<TrackerFile> tracker(String checkpoint) {
    var matcher = STEP.matcher(checkpoint);
    return matcher.matches()
        ? Optional.of(
            new TrackerFile(Tracker.NAME, Long.toString(Long.parseLong(matcher.group(1)))))
        : Optional.empty();
  }
}
