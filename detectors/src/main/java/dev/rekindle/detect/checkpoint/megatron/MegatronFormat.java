package dev.rekindle.detect.checkpoint.megatron;

import dev.rekindle.detect.checkpoint.dcp.DcpFolder;
import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.format.Findings;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.StepName;
import dev.rekindle.detect.checkpoint.format.Times;
import dev.rekindle.detect.checkpoint.format.TrackerFile;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Megatron-LM: folders {@code iter_0000100} beside a tracker (megatron/training/checkpointing.py).
 * What is newer than the tracker says is not chosen, however complete it is: Megatron itself would
 * not load it, and it may be left from an earlier run.
 */
public final class MegatronFormat implements CheckpointFormat {
  private static final Pattern ITERATION = Pattern.compile("iter_(\\d{7,18})");

  private static final List<String> OTHERS =
      List.of(Tracker.NAME, "progress.txt", "latest_wandb_artifact_path.txt");

  @Override
  public String name() {
    return "megatron";
  }

  @Override
  public String title() {
    return "Megatron";
  }

  @Override
  public Findings find(Folder root) throws IOException {
    var tracker = Tracker.read(root);
    var generations = new ArrayList<Generation>();
    for (var entry : root.entries()) {
      var matcher = ITERATION.matcher(entry.name());
      if (entry.isFolder()
          && matcher.matches()
          && (tracker.isPresent() || isOne(root.folder(entry.name()).sample()))) {
        var step = new StepName.Step(Long.parseLong(matcher.group(1)));
        generations.add(Generation.folder(name(), root, entry, step));
      }
    }
    var doubts = new ArrayList<String>();
    tracker.map(Tracker::doubt).filter(doubt -> !doubt.isEmpty()).ifPresent(doubts::add);
    if (doubts.isEmpty()
        && generations.isEmpty()
        && tracker.filter(known -> known.iteration() >= 0).isPresent()
        && !isOfVerl(root, tracker.get())) {
      doubts.add(
          "%s says %d, and there is no folder iter_%07d"
              .formatted(Tracker.NAME, tracker.get().iteration(), tracker.get().iteration()));
    }
    return new Findings(generations, doubts, generations.isEmpty() ? List.of() : OTHERS);
  }

  @Override
  public Optional<TrackerFile> tracker(String checkpoint) {
    var matcher = ITERATION.matcher(checkpoint);
    return matcher.matches()
        ? Optional.of(
            new TrackerFile(Tracker.NAME, Long.toString(Long.parseLong(matcher.group(1)))))
        : Optional.empty();
  }

  /** Whether the tracker names a folder of verl, which calls its tracker the same. */
  private static boolean isOfVerl(Folder root, Tracker tracker) throws IOException {
    return root.entry("global_step_" + tracker.iteration()).filter(Entry::isFolder).isPresent();
  }

  /** Whether names in a folder are Megatron's, where there is no tracker. */
  private static boolean isOne(List<String> names) {
    return names.contains(DistFolder.MARKER)
        || names.contains(DistFolder.COMMON)
        || names.stream().anyMatch(name -> name.startsWith("mp_rank_"));
  }

  @Override
  public Verdict judge(Generation generation, Level upTo) throws IOException {
    var folder = generation.folder();
    var root = generation.parent();
    var names = folder.entries().stream().map(Entry::name).toList();
    var isDist = names.contains(DistFolder.MARKER) || DcpFolder.isOne(names);
    var verdict =
        isDist || names.contains(DistFolder.COMMON)
            ? DistFolder.judge(folder, anyHasMarker(root), upTo)
            : new LegacyFolder(root, folder, upTo).judge();
    return verdict.isValid() ? byTracker(generation, verdict) : verdict;
  }

  /** Megatron's own format writes a marker; torch_dcp does not. */
  private static boolean anyHasMarker(Folder root) throws IOException {
    for (var entry : root.entries()) {
      if (entry.isFolder()
          && ITERATION.matcher(entry.name()).matches()
          && root.folder(entry.name()).sample().contains(DistFolder.MARKER)) {
        return true;
      }
    }
    return false;
  }

  private static String dangling(Folder root, Tracker tracker) throws IOException {
    var named = "iter_%07d".formatted(tracker.iteration());
    return root.entry(named).isPresent()
        ? ""
        : Tracker.NAME + " names " + named + ", which is not there";
  }

  private static Verdict byTracker(Generation generation, Verdict whole) throws IOException {
    var read = Tracker.read(generation.parent());
    if (read.isEmpty()) {
      return Verdict.unknown(
          Level.L0, Tracker.NAME + " is missing: Megatron would start from nothing");
    }
    var tracker = read.get();
    if (generation.step().orElse(-1) > tracker.iteration()) {
      return Verdict.unknown(
          Level.L0,
          "newer than "
              + Tracker.NAME
              + " says ("
              + (tracker.iteration() < 0 ? "release" : tracker.iteration())
              + "), which is last");
    }
    var files = new ArrayList<Entry>();
    for (var entry : generation.folder().entries()) {
      if (entry.isFile()) {
        files.add(entry);
      } else if (entry.isFolder()) {
        files.addAll(
            generation.folder().folder(entry.name()).entries().stream()
                .filter(Entry::isFile)
                .toList());
      }
    }
    return Times.newerThan(generation.parent(), tracker.entry(), files)
        .orElse(whole.withNote(dangling(generation.parent(), tracker)));
  }
}
