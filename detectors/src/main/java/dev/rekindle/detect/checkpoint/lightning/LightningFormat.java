package dev.rekindle.detect.checkpoint.lightning;

import dev.rekindle.detect.checkpoint.dcp.DcpFolder;
import dev.rekindle.detect.checkpoint.deepspeed.DeepSpeedFolder;
import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.format.Findings;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.StepName;
import dev.rekindle.detect.checkpoint.format.Times;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.parts.Parts;
import dev.rekindle.detect.checkpoint.parts.Proof;
import dev.rekindle.detect.checkpoint.torch.TorchSave;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Lightning's checkpoints: one file of {@code torch.save}, named after epoch and step, or under
 * FSDP and ModelParallel a folder of torch.distributed.checkpoint with {@code meta.pt}, which rank
 * 0 writes last, or under DeepSpeed a folder of that.
 */
public final class LightningFormat implements CheckpointFormat {
  private static final Pattern FILE =
      Pattern.compile("(?:.*(?:epoch|step)=\\d.*|last(?:-v\\d+)?|hpc_ckpt_\\d+)\\.ckpt");

  private static final String META = "meta.pt";
  private static final String ENDING = ".ckpt";
  private static final String OF_DEEPSPEED = "checkpoint";

  @Override
  public String name() {
    return "lightning";
  }

  @Override
  public String title() {
    return "Lightning";
  }

  @Override
  public Findings find(Folder root) throws IOException {
    var generations = new ArrayList<Generation>();
    for (var entry : root.entries()) {
      if (entry.isFolder() ? isFolder(root, entry) : FILE.matcher(entry.name()).matches()) {
        generations.add(
            entry.isFolder()
                ? Generation.folder(name(), root, entry)
                : Generation.file(name(), root, entry, StepName.ofFile(entry.name())));
      }
    }
    return Findings.of(generations);
  }

  private static boolean isFolder(Folder root, Entry entry) throws IOException {
    // The folder is made before anything is in it; its ending alone is Lightning's.
    return entry.name().endsWith(ENDING) || root.folder(entry.name()).sample().contains(META);
  }

  @Override
  public Verdict judge(Generation generation, Level upTo) throws IOException {
    return generation.entry().isFolder()
        ? folder(generation.parent(), generation.folder(), upTo)
        : TorchSave.judge(generation.folder(), generation.entry(), upTo);
  }

  private static Verdict folder(Folder parent, Folder folder, Level upTo) throws IOException {
    if (folder.entry(OF_DEEPSPEED).filter(Entry::isFolder).isPresent()) {
      return DeepSpeedFolder.judge(folder, folder.folder(OF_DEEPSPEED), upTo);
    }
    var meta = folder.entry(META).filter(Entry::isFile);
    if (meta.isEmpty()) {
      return Proof.torn(
          parent,
          folder,
          name -> name.equals(META) || DcpFolder.isOne(List.of(name)),
          Level.L1,
          META + " is missing: it is written last",
          "Lightning");
    }
    var own = TorchSave.judge(folder, meta.get(), upTo);
    if (!own.isValid()) {
      return own.in(META);
    }
    var newer = Times.newerThan(folder, meta.get(), Parts.files(folder));
    return newer.isPresent() ? newer.get() : DcpFolder.judge(folder);
  }
}
