package dev.rekindle.detect.checkpoint.huggingface;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Times;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.parts.OneBefore;
import dev.rekindle.detect.checkpoint.parts.Parts;
import dev.rekindle.detect.checkpoint.parts.Weights;
import java.io.IOException;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Whether a {@code checkpoint-N} holds all that the Trainer saves. */
final class TrainerContents {
  private final Generation generation;
  private final Folder folder;
  private final TrainerParts parts;

  TrainerContents(Generation generation, TrainerParts parts) {
    this.generation = generation;
    this.folder = generation.folder();
    this.parts = parts;
  }

  /** What is missing; empty where nothing is. */
  Optional<Verdict> missing(Entry state) throws IOException {
    var weights = Weights.missing(folder);
    if (weights.isPresent()
        && parts.deepSpeedTag().isEmpty()
        && !parts.hasFolder(Weights.FSDP)
        && parts.adapters().isEmpty()) {
      return weights;
    }
    var ranks = new TreeSet<Integer>();
    var random = folder.hasFile(TrainerFolder.RANDOM_OF_ONE);
    var optimizer = parts.deepSpeedTag().isPresent() || parts.hasFolder("optimizer_0");
    // DeepSpeed may keep a scheduler of its own in its files: then there is no scheduler.pt.
    var scheduler = parts.deepSpeedTag().isPresent();
    for (var file : Parts.files(folder)) {
      var matcher = TrainerFolder.RANDOM.matcher(file.name());
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
      return lacks(name -> TrainerFolder.RANDOM.matcher(name).matches());
    }
    if (optimizer || scheduler || random) {
      return Optional.of(
          Verdict.torn(
              Level.L2,
              "the "
                  + (!optimizer ? "optimizer" : !scheduler ? "scheduler" : "random state")
                  + " is missing, though others of its kind are there"));
    }
    var lacks = lacks(name -> TrainerFolder.STATES.contains(name) && name.startsWith("optimizer."));
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
}
