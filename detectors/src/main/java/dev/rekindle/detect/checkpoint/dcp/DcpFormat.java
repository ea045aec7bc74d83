package dev.rekindle.detect.checkpoint.dcp;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.format.Findings;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.StepName;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.parts.OneBefore;
import dev.rekindle.detect.checkpoint.parts.OneSave;
import java.io.IOException;
import java.util.ArrayList;
import java.util.OptionalLong;

/**
 * Folders of {@code torch.distributed.checkpoint}, whose names are the user's, and folders whose
 * name says a step and that hold such folders as parts.
 */
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
      if (!entry.isFolder()) {
        continue;
      }
      var folder = root.folder(entry.name());
      if (DcpFolder.isOne(folder.sample())
          || (step(entry).isPresent() && !DcpParts.of(folder).isEmpty())) {
        generations.add(Generation.folder(name(), root, entry));
      }
    }
    return Findings.of(generations);
  }

  /** The step that the name of a folder says: its parts are searched for only with one. */
  static OptionalLong step(Entry entry) {
    return StepName.step(StepName.ofFolder(entry.name()));
  }

  @Override
  public Verdict judge(Generation generation, Level upTo) throws IOException {
    var folder = generation.folder();
    var verdict =
        DcpFolder.isOne(folder.sample()) || DcpParts.of(folder).isEmpty()
            ? folder(generation)
            : DcpParts.judge(generation.parent(), folder, generation.step());
    return verdict.isValid() ? FilesBeside.fault(generation, upTo).orElse(verdict) : verdict;
  }

  private static Verdict folder(Generation generation) throws IOException {
    var folder = generation.folder();
    var verdict = DcpFolder.judge(folder);
    if (!verdict.isValid() || folder.hasFile(DcpFolder.MARKER)) {
      return verdict;
    }
    var mixed = OneSave.fault(generation.parent(), folder, DcpFolder::ofRanks);
    if (mixed.isPresent() || generation.path().isEmpty()) {
      return mixed.orElse(verdict);
    }
    // Without collectives no rank knows how many there are: the last ones may not have begun.
    return OneBefore.lacks(generation.parent(), folder, DcpFolder::isOfRank).orElse(verdict);
  }
}
