package dev.rekindle.detect.checkpoint.safetensors;

import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.format.Findings;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.StepName;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.util.ArrayList;

/** Files of safetensors, one a checkpoint, in one flat folder. */
public final class SafetensorsFormat implements CheckpointFormat {
  private static final String ENDING = ".safetensors";

  @Override
  public String name() {
    return "safetensors";
  }

  @Override
  public String title() {
    return "safetensors";
  }

  @Override
  public Findings find(Folder root) throws IOException {
    var generations = new ArrayList<Generation>();
    for (var entry : root.entries()) {
      if (!entry.isFolder() && entry.name().endsWith(ENDING)) {
        var stem = entry.name().substring(0, entry.name().length() - ENDING.length());
        var named = StepName.ofFolder(stem);
        if (named instanceof StepName.Step) {
          generations.add(Generation.file(name(), root, entry, named));
        }
      }
    }
    return Findings.of(generations);
  }

  @Override
  public Verdict judge(Generation generation, Level upTo) throws IOException {
    return Safetensors.judge(generation.folder(), generation.entry());
  }
}
