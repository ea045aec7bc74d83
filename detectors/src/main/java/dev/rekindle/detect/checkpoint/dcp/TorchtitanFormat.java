package dev.rekindle.detect.checkpoint.dcp;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.format.Findings;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.safetensors.SafetensorsIndex;
import java.io.IOException;
import java.util.ArrayList;
import java.util.regex.Pattern;

/**
 * torchtitan's {@code step-N}: folders of torch.distributed.checkpoint, or of safetensors with an
 * index (torchtitan/components/checkpointer). A directory that has the former alone is that
 * format's as well, and called by its name; one of the latter makes the directory torchtitan's.
 */
public final class TorchtitanFormat implements CheckpointFormat {
  private static final Pattern STEP = Pattern.compile("step-\\d{1,18}");

  @Override
  public String name() {
    return "torchtitan";
  }

  @Override
  public String title() {
    return "torchtitan";
  }

  @Override
  public Findings find(Folder root) throws IOException {
    var generations = new ArrayList<Generation>();
    var certain = false;
    for (var entry : root.entries()) {
      if (entry.isFolder() && STEP.matcher(entry.name()).matches()) {
        var names = root.folder(entry.name()).sample();
        var ofSafetensors = names.contains(SafetensorsIndex.NAME);
        certain |= ofSafetensors;
        if (ofSafetensors || DcpFolder.isOne(names)) {
          generations.add(Generation.folder(name(), root, entry));
        }
      }
    }
    return certain ? Findings.of(generations) : Findings.NONE;
  }

  @Override
  public Verdict judge(Generation generation, Level upTo) throws IOException {
    var folder = generation.folder();
    return folder.entry(SafetensorsIndex.NAME).filter(Entry::isFile).isPresent()
            && !DcpFolder.isOne(folder.entries().stream().map(Entry::name).toList())
        ? SafetensorsIndex.judge(folder, SafetensorsIndex.NAME)
        : DcpFolder.judge(folder);
  }
}
