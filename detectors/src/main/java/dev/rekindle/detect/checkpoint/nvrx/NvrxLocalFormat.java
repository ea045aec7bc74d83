package dev.rekindle.detect.checkpoint.nvrx;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.format.Findings;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.StepName;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.torch.TorchSave;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Local checkpoints of NVIDIA's resiliency extension: on each node {@code
 * SESSION/RANK/iter_N_RANK_local.pt} of the ranks that it runs or keeps copies for. Which iteration
 * has all ranks is known to all nodes together only, so no file here is ever valid by itself.
 */
public final class NvrxLocalFormat implements CheckpointFormat {
  /** Its name. */
  public static final String NAME = "nvrx-local";

  /** Level of the verdict on a complete part; no other one that is Unknown has it. */
  private static final Level WHOLE = Level.L3;

  private static final Pattern FILE =
      Pattern.compile("iter_(\\d{7,18})_(\\d{1,6})_local(\\.dirty)?\\.pt");
  private static final Pattern RANK = Pattern.compile("\\d{1,6}");

  private static final Pattern PATH =
      Pattern.compile("(.*)/(\\d{1,6})/iter_(\\d{7,18})_(\\d{1,6})_local(\\.dirty)?\\.pt");

  /** Folders of sessions that are searched. */
  private static final int MOST_SESSIONS = 50;

  /**
   * What one file holds.
   *
   * @param session path of the folder of its session
   * @param rank whose state it is
   */
  public record Part(String session, int rank) {}

  /** What the file of that path holds; empty where no part of a checkpoint has such a name. */
  public static Optional<Part> part(String path) {
    var matcher = PATH.matcher(path);
    return matcher.matches()
        ? Optional.of(new Part(matcher.group(1), Integer.parseInt(matcher.group(4))))
        : Optional.empty();
  }

  /**
   * Whether that verdict on a part says that it is complete. A reader of all nodes can make one of
   * it on the checkpoint.
   */
  public static boolean isWhole(Verdict.Kind kind, String level) {
    return kind == Verdict.Kind.UNKNOWN && level.equals(WHOLE.name());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String title() {
    return "NVIDIA's resiliency extension (local)";
  }

  @Override
  public Findings find(Folder root) throws IOException {
    var generations = new ArrayList<>(ofRanks(root));
    var sessions = 0;
    for (var entry : root.entries()) {
      if (entry.isFolder() && !isRank(entry) && hasRanks(root.folder(entry.name()).sample())) {
        if (++sessions > MOST_SESSIONS) {
          return new Findings(
              generations, List.of("more than " + MOST_SESSIONS + " sessions of " + title()));
        }
        generations.addAll(ofRanks(root.folder(entry.name())));
      }
    }
    return Findings.of(generations);
  }

  private static boolean hasRanks(List<String> names) {
    return names.stream().anyMatch(name -> RANK.matcher(name).matches());
  }

  private static boolean isRank(Entry entry) {
    return entry.isFolder() && RANK.matcher(entry.name()).matches();
  }

  private List<Generation> ofRanks(Folder session) throws IOException {
    var found = new ArrayList<Generation>();
    for (var entry : session.entries()) {
      if (isRank(entry)
          && session.folder(entry.name()).sample().stream()
              .anyMatch(name -> FILE.matcher(name).matches())) {
        var rank = session.folder(entry.name());
        for (var file : rank.entries()) {
          var matcher = FILE.matcher(file.name());
          if (matcher.matches()) {
            var step = new StepName.Step(Long.parseLong(matcher.group(1)));
            found.add(Generation.file(name(), rank, file, step));
          }
        }
      }
    }
    return found;
  }

  @Override
  public Verdict judge(Generation generation, Level upTo) throws IOException {
    var matcher = FILE.matcher(generation.entry().name());
    if (!matcher.matches() || matcher.group(3) != null) {
      return Verdict.torn(Level.L1, "a file .dirty was not renamed: the save did not end");
    }
    var own = TorchSave.judge(generation.folder(), generation.entry(), upTo);
    return switch (own.kind()) {
      case VALID ->
          Verdict.unknown(
              WHOLE,
              "the part of rank "
                  + matcher.group(2)
                  + " is whole, but other nodes hold those of other ranks");
      case UNKNOWN -> Verdict.unknown(Level.L2, own.reason());
      case TORN -> own;
    };
  }
}
