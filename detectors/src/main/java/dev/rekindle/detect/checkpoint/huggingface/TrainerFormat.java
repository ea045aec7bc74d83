package dev.rekindle.detect.checkpoint.huggingface;

import dev.rekindle.detect.checkpoint.accelerate.AccelerateFormat;
import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.format.Findings;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.StepName;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.parts.Weights;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Folders of Hugging Face's Trainer, {@code checkpoint-N}. The Trainer writes into the final folder
 * and resumes from the highest N without checking whether it is complete.
 */
public final class TrainerFormat implements CheckpointFormat {
  private static final Set<String> BESIDE = Set.of(TrainerFolder.STATE, "training_args.bin");

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
    var ofAccelerate = isOfAccelerate(root);
    for (var entry : root.entries()) {
      var matcher = FOLDER.matcher(entry.name());
      // One that was only just made has nothing in it yet.
      if (entry.isFolder()
          && matcher.matches()
          && (ofAccelerate
              ? root.folder(entry.name()).sample().contains(TrainerFolder.STATE)
              : TrainerFolder.mayBeOne(root.folder(entry.name()).sample()))) {
        var step = new StepName.Step(Long.parseLong(matcher.group(1)));
        generations.add(Generation.folder(name(), root, entry, step));
      }
    }
    return new Findings(generations, List.of(), besideThem(root, generations));
  }

  /**
   * Whether such folders are those of a script that calls Accelerate's {@code save_state}, as the
   * scripts of diffusers do. One that was cut off is the same script's.
   */
  private static boolean isOfAccelerate(Folder root) throws IOException {
    for (var entry : root.entries()) {
      if (entry.isFolder() && FOLDER.matcher(entry.name()).matches()) {
        var names = root.folder(entry.name()).sample();
        if (!names.contains(TrainerFolder.STATE) && AccelerateFormat.hasRandomStates(names)) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * A model for those who only use it, as {@code save_model} and a push to the hub leave in the
   * directory beside its checkpoints. The Trainer resumes from none of it.
   */
  private static List<String> besideThem(Folder root, List<Generation> generations)
      throws IOException {
    var certain = false;
    for (var generation : generations) {
      certain |=
          !generation.path().isEmpty()
              && generation.folder().sample().contains(TrainerFolder.STATE);
    }
    if (!certain) {
      return List.of();
    }
    var beside = new ArrayList<String>();
    for (var entry : root.entries()) {
      if (entry.isFile() ? isOfModel(entry.name()) : isModel(root, entry)) {
        beside.add(entry.name());
      }
    }
    return beside;
  }

  private static boolean isOfModel(String name) {
    return Weights.isOne(name) || BESIDE.contains(name);
  }

  /** A folder of such a model, {@code best_model}; one with a step may be another's checkpoint. */
  private static boolean isModel(Folder root, Entry entry) throws IOException {
    return entry.isFolder()
        && !(StepName.ofFolder(entry.name()) instanceof StepName.Step)
        && root.folder(entry.name()).sample().stream().anyMatch(TrainerFormat::isOfModel);
  }

  @Override
  public Verdict judge(Generation generation, Level upTo) throws IOException {
    return new TrainerFolder(generation).judge(upTo);
  }
}
