package dev.rekindle.detect.checkpoint.deepspeed;

import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.format.Findings;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.StepName;
import dev.rekindle.detect.checkpoint.format.TrackerFile;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Folders of DeepSpeed's engine. Their names are tags, {@code global_stepN} unless the script has
 * given another; {@code latest} beside them names the newest and is written last.
 */
public final class DeepSpeedFormat implements CheckpointFormat {
  private static final String LATEST = "latest";

  private static final List<String> OTHERS =
      List.of(LATEST, "latest_universal", "zero_to_fp32.py", "zero_to_torch.py");

  @Override
  public String name() {
    return "deepspeed";
  }

  @Override
  public String title() {
    return "DeepSpeed";
  }

  @Override
  public Findings find(Folder root) throws IOException {
    var generations = new ArrayList<Generation>();
    for (var entry : root.entries()) {
      if (entry.isFolder()
          && (entry.name().matches("global_step\\d+")
              || DeepSpeedFolder.isOne(root.folder(entry.name()).sample()))) {
        generations.add(Generation.folder(name(), root, entry, StepName.ofFolder(entry.name())));
      }
    }
    return new Findings(generations, List.of(), generations.isEmpty() ? List.of() : OTHERS);
  }

  @Override
  public Verdict judge(Generation generation, Level upTo) throws IOException {
    return DeepSpeedFolder.judge(generation.parent(), generation.folder(), upTo);
  }

  /** The tag is the name of the folder, whatever it is. */
  @Override
  public Optional<TrackerFile> tracker(String checkpoint) {
    return Optional.of(new TrackerFile(LATEST, checkpoint));
  }
}
