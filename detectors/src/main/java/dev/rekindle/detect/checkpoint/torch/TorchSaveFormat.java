package dev.rekindle.detect.checkpoint.torch;

import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.format.Findings;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.StepName;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.util.ArrayList;

/** Files of {@code torch.save}, one a checkpoint, in one flat folder. */
public final class TorchSaveFormat implements CheckpointFormat {
  @Override
  public String name() {
    return "torch-save";
  }

  @Override
  public String title() {
    return "torch.save";
  }

  @Override
  public Findings find(Folder root) throws IOException {
    var generations = new ArrayList<Generation>();
    for (var entry : root.entries()) {
      var named = StepName.ofFile(entry.name());
      // A pipe with a step is a checkpoint that cannot be read; without one it is nothing.
      if ((named instanceof StepName.Step && !entry.isFolder())
          || (named instanceof StepName.Stepless && entry.isFile())) {
        generations.add(Generation.file(name(), root, entry, named));
      }
    }
    return Findings.of(generations);
  }

  @Override
  public Verdict judge(Generation generation, Level upTo) throws IOException {
    return TorchSave.judge(generation.folder(), generation.entry(), upTo);
  }
}
