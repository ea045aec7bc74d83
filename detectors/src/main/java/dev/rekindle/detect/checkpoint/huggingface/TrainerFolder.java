package dev.rekindle.detect.checkpoint.huggingface;

import dev.rekindle.detect.checkpoint.dcp.DcpFolder;
import dev.rekindle.detect.checkpoint.deepspeed.DeepSpeedFolder;
import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Times;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.json.Json;
import dev.rekindle.detect.checkpoint.json.JsonException;
import dev.rekindle.detect.checkpoint.parts.OneSave;
import dev.rekindle.detect.checkpoint.parts.Parts;
import dev.rekindle.detect.checkpoint.parts.Proof;
import dev.rekindle.detect.checkpoint.parts.Weights;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Judges one {@code checkpoint-N}. Rank 0 writes weights, optimizer, scheduler and its random
 * state, then {@code trainer_state.json}; the other ranks write their random states when they come
 * to it (transformers, {@code Trainer._save_checkpoint}).
 */
final class TrainerFolder {
  /** Written last by rank 0. */
  static final String STATE = "trainer_state.json";

  /** Inside while a save that a signal started continues. */
  private static final String UNFINISHED = "checkpoint-is-incomplete.txt";

  static final Pattern RANDOM = Pattern.compile("rng_state_(\\d{1,6})\\.pth");
  static final String RANDOM_OF_ONE = "rng_state.pth";

  /** What it loads beside the weights, or may not do without. */
  static final Set<String> STATES =
      Set.of(
          "optimizer.pt",
          "optimizer.bin",
          "scheduler.pt",
          "scaler.pt",
          RANDOM_OF_ONE,
          "config.json",
          "generation_config.json",
          "adapter_config.json",
          "training_args.bin");

  private static final int LONGEST_STATE = 64 * 1024 * 1024;
  private static final int MOST_VALUES = 5_000_000;

  private final Generation generation;
  private final Folder folder;
  private final TrainerParts parts;

  TrainerFolder(Generation generation) {
    this.generation = generation;
    this.folder = generation.folder();
    this.parts = new TrainerParts(folder);
  }

  /** Whether a folder {@code checkpoint-N} with these names in it may be of the Trainer. */
  static boolean mayBeOne(Collection<String> names) {
    return names.contains(STATE) || (!DcpFolder.isOne(names) && !DeepSpeedFolder.isOne(names));
  }

  /** What no other library writes, and scripts of their own seldom do. */
  private static boolean isOfTrainer(String name) {
    return name.equals(STATE)
        || name.equals("training_args.bin")
        || name.equals(RANDOM_OF_ONE)
        || RANDOM.matcher(name).matches();
  }

  Verdict judge(Level upTo) throws IOException {
    if (folder.entry(UNFINISHED).isPresent()) {
      return Verdict.torn(Level.L1, UNFINISHED + " is in it: the save did not end");
    }
    var state = folder.entry(STATE).filter(Entry::isFile);
    if (state.isEmpty()) {
      return Proof.torn(
          generation.parent(),
          folder,
          TrainerFolder::isOfTrainer,
          Level.L1,
          STATE + " is missing: it is written last",
          "the Trainer");
    }
    var fault = wrongStep(state.get());
    if (fault.isEmpty()) {
      fault = new TrainerContents(generation, parts).missing(state.get());
    }
    if (fault.isEmpty()) {
      fault = Times.newerThan(folder, state.get(), files(false));
    }
    if (fault.isEmpty()) {
      fault = Parts.fault(folder, files(true), upTo);
    }
    if (fault.isEmpty()) {
      fault = OneSave.fault(generation.parent(), folder, TrainerFolder::ofRanks);
    }
    return fault.isEmpty() ? parts.judge(state.get(), upTo) : fault.get();
  }

  /**
   * What the ranks write, each by itself. Random states may be older than the marker by as long as
   * rank 0 takes for the weights.
   */
  private static List<Entry> ofRanks(Folder folder) throws IOException {
    var files = Parts.files(folder);
    return files.stream().anyMatch(file -> RANDOM.matcher(file.name()).matches())
        ? files.stream()
            .filter(f -> f.name().equals(STATE) || RANDOM.matcher(f.name()).matches())
            .toList()
        : List.of();
  }

  private Optional<Verdict> wrongStep(Entry state) throws IOException {
    if (state.bytes() == 0) {
      return Optional.of(Verdict.torn(Level.L2, STATE + " is empty"));
    }
    try {
      var read = Json.object(ByteBuffer.wrap(folder.read(STATE, LONGEST_STATE)), MOST_VALUES);
      if (!(read.get("global_step") instanceof Long step)) {
        return Optional.of(Verdict.torn(Level.L3, STATE + " names no global_step"));
      }
      if (generation.step().isPresent() && generation.step().getAsLong() != step) {
        return Optional.of(
            Verdict.unknown(Level.L3, STATE + " is of step " + step + ", not of the folder's"));
      }
      return Optional.empty();
    } catch (JsonException e) {
      return Optional.of(Verdict.torn(Level.L3, STATE + ": " + e.getMessage()));
    }
  }

  /**
   * What it resumes from. What a script or an evaluation puts beside that, at any time, is no part
   * of it. The random states of other ranks may come after the marker.
   */
  private Collection<Entry> files(boolean withRandom) throws IOException {
    var files = new ArrayList<Entry>();
    for (var file : Parts.files(folder)) {
      var name = file.name();
      var random = RANDOM.matcher(name).matches();
      if (random ? withRandom : Weights.isOne(name) || STATES.contains(name)) {
        files.add(file);
      }
    }
    return files;
  }
}
