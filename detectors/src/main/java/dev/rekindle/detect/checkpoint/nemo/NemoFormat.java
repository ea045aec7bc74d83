package dev.rekindle.detect.checkpoint.nemo;

import dev.rekindle.detect.checkpoint.dcp.DcpFolder;
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
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Folders of NeMo 2: {@code weights} by Megatron's dist_checkpointing and {@code context} beside
 * it. The file {@code NAME-unfinished} stands beside a folder for as long as it is being saved
 * (nemo/lightning/pytorch/callbacks/model_checkpoint.py).
 */
public final class NemoFormat implements CheckpointFormat {
  private static final String UNFINISHED = "-unfinished";
  private static final String WEIGHTS = "weights";
  private static final String CONTEXT = "context";
  private static final String COMMON = "common.pt";

  /** Written last of the weights. */
  private static final String BACKEND = "metadata.json";

  @Override
  public String name() {
    return "nemo";
  }

  @Override
  public String title() {
    return "NeMo";
  }

  @Override
  public Findings find(Folder root) throws IOException {
    var generations = new ArrayList<Generation>();
    for (var entry : root.entries()) {
      if (entry.isFolder() && isOne(root, entry.name())) {
        generations.add(Generation.folder(name(), root, entry));
      }
    }
    var markers =
        root.entries().stream().map(Entry::name).filter(n -> n.endsWith(UNFINISHED)).toList();
    return new Findings(generations, List.of(), generations.isEmpty() ? List.of() : markers);
  }

  private static boolean isOne(Folder root, String name) throws IOException {
    if (root.entry(name + UNFINISHED).isPresent()) {
      return true;
    }
    var names = root.folder(name).sample();
    if (!names.contains(WEIGHTS)) {
      // The weights are being deleted.
      return names.contains(CONTEXT) && StepName.ofFolder(name) instanceof StepName.Step;
    }
    // The context is saved at the end only, unless always_save_context is set.
    return names.contains(CONTEXT)
        || name.endsWith("-last")
        || isOfMegatron(root.folder(name).folder(WEIGHTS).sample());
  }

  private static boolean isOfMegatron(List<String> names) {
    return names.contains(BACKEND) || names.contains(COMMON);
  }

  @Override
  public Verdict judge(Generation generation, Level upTo) throws IOException {
    var folder = generation.folder();
    if (generation.parent().entry(folder.name() + UNFINISHED).isPresent()) {
      return Verdict.torn(Level.L1, "a file -unfinished is beside it: the save did not end");
    }
    if (folder.entry(WEIGHTS).filter(Entry::isFolder).isEmpty()) {
      return Verdict.torn(Level.L2, WEIGHTS + " is missing");
    }
    var weights = folder.folder(WEIGHTS);
    var marker = weights.entry(BACKEND).filter(Entry::isFile);
    if (marker.isEmpty()) {
      return Verdict.torn(Level.L1, WEIGHTS + "/" + BACKEND + " is missing");
    }
    var common = weights.entry(COMMON);
    if (common.isEmpty()) {
      return Verdict.torn(Level.L2, WEIGHTS + "/" + COMMON + " is missing");
    }
    var verdict = DcpFolder.judge(weights);
    if (!verdict.isValid()) {
      return verdict;
    }
    var fault = Times.newerThan(weights, marker.get(), List.of(common.get()));
    if (fault.isPresent()) {
      return fault.get();
    }
    fault = Parts.fault(weights, Parts.files(weights).stream().filter(this::isOwn).toList(), upTo);
    if (fault.isEmpty() && folder.entry(CONTEXT).filter(Entry::isFolder).isPresent()) {
      var context = folder.folder(CONTEXT);
      fault = Parts.fault(context, Parts.files(context), upTo);
    }
    return fault.orElse(Verdict.VALID);
  }

  /** What torch.distributed.checkpoint does not know of. */
  private boolean isOwn(Entry file) {
    return !file.name().endsWith(".distcp") && !file.name().equals(DcpFolder.MARKER);
  }
}
