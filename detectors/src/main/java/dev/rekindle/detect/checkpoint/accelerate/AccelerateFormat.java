package dev.rekindle.detect.checkpoint.accelerate;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.format.Findings;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.StepName;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Folders of Accelerate's {@code save_state} with automatic names: {@code checkpoint_N} in {@code
 * checkpoints}. N counts saves; it stands for the step, for the script finds nothing else either.
 */
public final class AccelerateFormat implements CheckpointFormat {
  private static final Pattern FOLDER = Pattern.compile("checkpoint_(\\d{1,18})");
  private static final String PARENT = "checkpoints";

  @Override
  public String name() {
    return "accelerate";
  }

  @Override
  public String title() {
    return "Accelerate";
  }

  @Override
  public Findings find(Folder root) throws IOException {
    var generations = new ArrayList<>(in(root));
    if (root.entry(PARENT).filter(Entry::isFolder).isPresent()) {
      generations.addAll(in(root.folder(PARENT)));
    }
    return Findings.of(generations);
  }

  private List<Generation> in(Folder parent) throws IOException {
    var found = new ArrayList<Generation>();
    for (var entry : parent.entries()) {
      var matcher = FOLDER.matcher(entry.name());
      if (entry.isFolder()
          && matcher.matches()
          && AccelerateFolder.mayBeOne(parent.folder(entry.name()).sample())) {
        var number = new StepName.Step(Long.parseLong(matcher.group(1)));
        found.add(Generation.folder(name(), parent, entry, number));
      }
    }
    return found;
  }

  @Override
  public Verdict judge(Generation generation, Level upTo) throws IOException {
    return AccelerateFolder.judge(generation, upTo);
  }
}
