package dev.rekindle.detect.checkpoint.nvrx;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.format.Findings;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.StepName;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.torch.TorchSave;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Local checkpoints of NVIDIA's resiliency extension: on each node {@code
 * SESSION/RANK/iter_N_RANK_local.pt} of the ranks that it runs or keeps copies for. Which iteration
 * has all ranks is known to all nodes together only, so no file here is ever valid by itself.
 */
public final class NvrxLocalFormat implements CheckpointFormat {
  private static final Pattern FILE =
      Pattern.compile("iter_(\\d{7,18})_(\\d{1,6})_local(\\.dirty)?\\.pt");
  private static final Pattern RANK = Pattern.compile("\\d{1,6}");

  /** Folders of sessions that are looked into. */
  private static final int MOST_SESSIONS = 50;

  @Override
  public String name() {
    return "nvrx-local";
  }

  @Override
  public String title() {
    return "NVIDIA's resiliency extension (local)";
  }

  @Override
  public Findings find(Folder root) throws IOException {
    var generations = new ArrayList<>(ofRanks(root));
    var sessions = 0;
    for (var entry : root.entries()) {
      if (entry.isFolder() && !isRank(entry) && hasRanks(root.folder(entry.name()).sample())) {
        if (++sessions > MOST_SESSIONS) {
          return new Findings(
              generations, List.of("more than " + MOST_SESSIONS + " sessions of " + title()));
        }
        generations.addAll(ofRanks(root.folder(entry.name())));
      }
    }
    return Findings.of(generations);
  }

  private static boolean hasRanks(List<String> names) {
    return names.stream().anyMatch(name -> RANK.matcher(name).matches());
  }

  private static boolean isRank(Entry entry) {
    return entry.isFolder() && RANK.matcher(entry.name()).matches();
  }

  private List<Generation> ofRanks(Folder session) throws IOException {
    var found = new ArrayList<Generation>();
    for (var entry : session.entries()) {
      if (isRank(entry)
          && session.folder(entry.name()).sample().stream()
              .anyMatch(name -> FILE.matcher(name).matches())) {
        var rank = session.folder(entry.name());
        for (var file : rank.entries()) {
          var matcher = FILE.matcher(file.name());
          if (matcher.matches()) {
            var step = new StepName.Step(Long.parseLong(matcher.group(1)));
            found.add(Generation.file(name(), rank, file, step));
          }
        }
      }
    }
    return found;
  }

  @Override
  public Verdict judge(Generation generation, Level upTo) throws IOException {
    var matcher = FILE.matcher(generation.entry().name());
    if (!matcher.matches() || matcher.group(3) != null) {
      return Verdict.torn(Level.L1, "a file .dirty was not renamed: the save did not end");
    }
    var own = TorchSave.judge(generation.folder(), generation.entry(), upTo);
    return own.isValid()
        ? Verdict.unknown(
            Level.L3,
            "the part of rank "
                + matcher.group(2)
                + " is whole, but other nodes hold those of other ranks")
        : own;
  }
}
