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
import dev.rekindle.detect.checkpoint.parts.OneBefore;
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
import java.util.TreeSet;
import java.util.function.Predicate;
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

  private static final Pattern RANDOM = Pattern.compile("rng_state_(\\d{1,6})\\.pth");
  private static final String RANDOM_OF_ONE = "rng_state.pth";

  /** What it loads beside the weights, or may not do without. */
  private static final Set<String> STATES =
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

  TrainerFolder(Generation generation) {
    this.generation = generation;
    this.folder = generation.folder();
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
      fault = missing(state.get());
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
    return fault.isEmpty() ? nested(state.get(), upTo) : fault.get();
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

  private Optional<Verdict> missing(Entry state) throws IOException {
    var weights = Weights.missing(folder);
    if (weights.isPresent()
        && deepSpeedTag().isEmpty()
        && !hasFolder(Weights.FSDP)
        && adapters().isEmpty()) {
      return weights;
    }
    var ranks = new TreeSet<Integer>();
    var random = folder.hasFile(RANDOM_OF_ONE);
    var optimizer = deepSpeedTag().isPresent() || hasFolder("optimizer_0");
    // DeepSpeed may keep a scheduler of its own in its files: then there is no scheduler.pt.
    var scheduler = deepSpeedTag().isPresent();
    for (var file : Parts.files(folder)) {
      var matcher = RANDOM.matcher(file.name());
      if (matcher.matches()) {
        ranks.add(Integer.parseInt(matcher.group(1)));
      }
      optimizer |= file.name().startsWith("optimizer.");
      scheduler |= file.name().equals("scheduler.pt");
    }
    // A name with a number says that there are two ranks at least; more are not known of.
    for (int rank = 0; !ranks.isEmpty() && rank <= Math.max(1, ranks.last()); rank++) {
      if (!ranks.contains(rank)) {
        return Optional.of(
            Verdict.torn(Level.L2, "rng_state_" + rank + ".pth is missing: each rank writes one"));
      }
    }
    random |= !ranks.isEmpty();
    if (optimizer && scheduler && random) {
      return lacks(name -> RANDOM.matcher(name).matches());
    }
    if (optimizer || scheduler || random) {
      return Optional.of(
          Verdict.torn(
              Level.L2,
              "the "
                  + (!optimizer ? "optimizer" : !scheduler ? "scheduler" : "random state")
                  + " is missing, though others of its kind are there"));
    }
    var lacks = lacks(name -> STATES.contains(name) && name.startsWith("optimizer."));
    return lacks.isPresent() ? lacks : takenAway(state);
  }

  /** Nothing in it says how many ranks there are, or whether only the model is saved. */
  private Optional<Verdict> lacks(Predicate<String> counts) throws IOException {
    return generation.path().isEmpty()
        ? Optional.empty()
        : OneBefore.lacks(generation.parent(), folder, counts);
  }

  /** With save_only_model there are only weights; or the rest is being deleted. */
  private Optional<Verdict> takenAway(Entry state) {
    if (!folder.timesAreOfWrites()) {
      return Optional.of(
          Verdict.unknown(
              Level.L2,
              "only weights are in it, and the store does not say whether more will come"));
    }
    var changed = generation.entry().modified();
    return changed.isAfter(state.modified().plus(Times.SKEW))
        ? Optional.of(
            Verdict.unknown(
                Level.L2, "only weights are in it, and names came or went after it was saved"))
        : Optional.empty();
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

  /** Folders of adapters: all but the one named default have a folder each (PEFT). */
  private List<Folder> adapters() throws IOException {
    var adapters = new ArrayList<Folder>();
    for (var entry : folder.entries()) {
      if (entry.isFolder()
          && folder.folder(entry.name()).sample().stream().anyMatch(Weights::isOfAdapter)) {
        adapters.add(folder.folder(entry.name()));
      }
    }
    return adapters;
  }

  private Verdict nested(Entry state, Level upTo) throws IOException {
    for (var adapter : adapters()) {
      var files = Parts.files(adapter).stream().filter(f -> Weights.isOfAdapter(f.name())).toList();
      var fault = Times.newerThan(adapter, state, files);
      if (fault.isEmpty()) {
        fault = Parts.fault(adapter, files, upTo);
      }
      if (fault.isPresent()) {
        return fault.get().in(adapter.name());
      }
    }
    var tag = deepSpeedTag();
    var ranks = 0;
    if (tag.isPresent()) {
      var verdict = DeepSpeedFolder.judge(folder, folder.folder(tag.get().name()), upTo);
      if (!verdict.isValid()) {
        return verdict.in(tag.get().name());
      }
      ranks = verdict.ranks();
    }
    for (var name : new String[] {Weights.FSDP, "optimizer_0"}) {
      var entry = folder.entry(name).filter(Entry::isFolder);
      if (entry.isPresent()) {
        var part = folder.folder(name);
        var verdict = DcpFolder.judge(part);
        if (!verdict.isValid()) {
          return verdict.in(name);
        }
        // Saved over, and cut off before the next folder: each by itself is complete.
        var mixed = Times.newerThan(part, state, part.entries());
        if (mixed.isPresent()) {
          return mixed.get().in(name);
        }
      }
    }
    return Verdict.VALID.ofRanks(ranks);
  }

  private boolean hasFolder(String name) throws IOException {
    return folder.entry(name).filter(Entry::isFolder).isPresent();
  }

  private Optional<Entry> deepSpeedTag() throws IOException {
    return folder.entries().stream()
        .filter(entry -> entry.isFolder() && entry.name().startsWith("global_step"))
        .findFirst();
  }
}
