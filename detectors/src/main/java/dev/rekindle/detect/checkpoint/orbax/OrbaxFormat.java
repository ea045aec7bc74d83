package dev.rekindle.detect.checkpoint.orbax;

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
 * Folders of Orbax's CheckpointManager, named by their step. They are written under a temporary
 * name and renamed; since 0.12.3 a file says that the step is committed.
 */
public final class OrbaxFormat implements CheckpointFormat {
  private static final Pattern STEP =
      Pattern.compile("(\\d{1,18})(\\.orbax-checkpoint-tmp(?:-.*)?)?");

  /** Folders in a step that are looked into. */
  private static final int MOST_ITEMS = 16;

  @Override
  public String name() {
    return "orbax";
  }

  @Override
  public String title() {
    return "Orbax";
  }

  @Override
  public Findings find(Folder root) throws IOException {
    var generations = new ArrayList<Generation>();
    for (var entry : root.entries()) {
      var matcher = STEP.matcher(entry.name());
      if (entry.isFolder()
          && matcher.matches()
          && (matcher.group(2) != null || isOne(root.folder(entry.name())))) {
        var step = new StepName.Step(Long.parseLong(matcher.group(1)));
        generations.add(Generation.folder(name(), root, entry, step));
      }
    }
    return Findings.of(generations);
  }

  /** By its metadata, or by the arrays in it or in one of its items. */
  private static boolean isOne(Folder folder) throws IOException {
    var names = folder.sample();
    if (OrbaxFolder.isOne(names) || names.contains(Manifest.NAME)) {
      return true;
    }
    for (var name : names.stream().filter(n -> n.indexOf('.') < 0).limit(MOST_ITEMS).toList()) {
      if (folder.folder(name).sample().contains(Manifest.NAME)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Verdict judge(Generation generation, Level upTo) throws IOException {
    return OrbaxFolder.judge(generation.parent(), generation.folder());
  }
}
