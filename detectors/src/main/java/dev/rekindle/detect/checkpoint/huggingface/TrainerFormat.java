package dev.rekindle.detect.checkpoint.huggingface;

import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.format.Findings;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.StepName;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.regex.Pattern;

/**
 * Folders of Hugging Face's Trainer, {@code checkpoint-N}. The Trainer writes into the final folder
 * and resumes from the highest N without looking whether it is whole.
 */
public final class TrainerFormat implements CheckpointFormat {
  private static final Pattern FOLDER = Pattern.compile("checkpoint-(\\d{1,18})");

  @Override
  public String name() {
    return "huggingface";
  }

  @Override
  public String title() {
    return "Hugging Face";
  }

  @Override
  public Findings find(Folder root) throws IOException {
    var generations = new ArrayList<Generation>();
    var own = FOLDER.matcher(root.storageName());
    if (own.matches() && root.sample().contains(TrainerFolder.STATE)) {
      var step = new StepName.Step(Long.parseLong(own.group(1)));
      generations.add(Generation.root(name(), root, step));
    }
    for (var entry : root.entries()) {
      var matcher = FOLDER.matcher(entry.name());
      // One that was only just made has nothing in it yet.
      if (entry.isFolder()
          && matcher.matches()
          && TrainerFolder.mayBeOne(root.folder(entry.name()).sample())) {
        var step = new StepName.Step(Long.parseLong(matcher.group(1)));
        generations.add(Generation.folder(name(), root, entry, step));
      }
    }
    return Findings.of(generations);
  }

  @Override
  public Verdict judge(Generation generation, Level upTo) throws IOException {
    return new TrainerFolder(generation).judge(upTo);
  }
}
