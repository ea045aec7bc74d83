package dev.rekindle.detect.checkpoint.dcp;

import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.format.Findings;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.StepName;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.util.ArrayList;

/** Folders of {@code torch.distributed.checkpoint}, whose names are the user's. */
public final class DcpFormat implements CheckpointFormat {
  @Override
  public String name() {
    return "dcp";
  }

  @Override
  public String title() {
    return "torch.distributed.checkpoint";
  }

  @Override
  public Findings find(Folder root) throws IOException {
    var generations = new ArrayList<Generation>();
    if (DcpFolder.isOne(root.sample())) {
      generations.add(Generation.root(name(), root, StepName.ofFolder(root.storageName())));
    }
    for (var entry : root.entries()) {
      if (entry.isFolder() && DcpFolder.isOne(root.folder(entry.name()).sample())) {
        generations.add(Generation.folder(name(), root, entry));
      }
    }
    return Findings.of(generations);
  }

  @Override
  public Verdict judge(Generation generation, Level upTo) throws IOException {
    return DcpFolder.judge(generation.folder());
  }
}
