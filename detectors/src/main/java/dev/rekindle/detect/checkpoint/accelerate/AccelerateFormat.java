package dev.rekindle.detect.checkpoint.accelerate;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.format.Findings;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.StepName;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.parts.OneBefore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Folders of Accelerate's {@code save_state}. With automatic names they are {@code checkpoint_N} in
 * {@code checkpoints}: N counts saves; it stands for the step, for the script finds nothing else
 * either. Scripts that name them say the step: {@code step_10}, {@code checkpoint-10}.
 */
public final class AccelerateFormat implements CheckpointFormat {
  private static final Pattern FOLDER = Pattern.compile("checkpoint_(\\d{1,18})");
  private static final String PARENT = "checkpoints";

  @Override
  public String name() {
    return "accelerate";
  }

  @Override
  public String title() {
    return "Accelerate";
  }

  /** Whether names in a folder are those of random states, which each rank writes last. */
  public static boolean hasRandomStates(Collection<String> names) {
    return names.stream().anyMatch(name -> AccelerateFolder.RANDOM.matcher(name).matches());
  }

  @Override
  public Findings find(Folder root) throws IOException {
    var generations = new ArrayList<>(in(root));
    if (root.entry(PARENT).filter(Entry::isFolder).isPresent()) {
      generations.addAll(in(root.folder(PARENT)));
    }
    return Findings.of(generations);
  }

  private List<Generation> in(Folder parent) throws IOException {
    var found = new ArrayList<Generation>();
    var ofScript = shapesOfScript(parent);
    for (var entry : parent.entries()) {
      if (!entry.isFolder()) {
        continue;
      }
      var matcher = FOLDER.matcher(entry.name());
      var isNumbered = matcher.matches();
      if ((isNumbered || ofScript.contains(OneBefore.shape(entry.name())))
          && AccelerateFolder.mayBeOne(parent.folder(entry.name()).sample())) {
        var named =
            isNumbered
                ? new StepName.Step(Long.parseLong(matcher.group(1)))
                : StepName.ofFolder(entry.name());
        found.add(Generation.folder(name(), parent, entry, named));
      }
    }
    return found;
  }

  /**
   * How folders are called, but for their step, that a script has named itself: {@code step_10} or
   * {@code checkpoint-10}. One that was cut off has no random states yet, but is called so.
   */
  private static Set<String> shapesOfScript(Folder parent) throws IOException {
    var shapes = new HashSet<String>();
    for (var entry : parent.entries()) {
      if (entry.isFolder()
          && StepName.ofFolder(entry.name()) instanceof StepName.Step
          && isOfScript(parent.folder(entry.name()).sample())) {
        shapes.add(OneBefore.shape(entry.name()));
      }
    }
    return shapes;
  }

  private static boolean isOfScript(List<String> names) {
    return hasRandomStates(names) && !names.contains("trainer_state.json");
  }

  @Override
  public Verdict judge(Generation generation, Level upTo) throws IOException {
    return AccelerateFolder.judge(generation, upTo);
  }
}
