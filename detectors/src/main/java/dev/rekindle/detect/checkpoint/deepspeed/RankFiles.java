package dev.rekindle.detect.checkpoint.deepspeed;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.util.Collection;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The files of a folder by their ranks.
 *
 * @param models model-parallel ranks with their states
 * @param shards data-parallel ranks with states of a model, by model-parallel rank (ZeRO 3)
 * @param optimizers data-parallel ranks with states of the optimizer, by model-parallel rank (ZeRO)
 * @param anyModelStates name of a file with states of a model, or empty
 */
record RankFiles(
    NavigableSet<Integer> models,
    NavigableMap<Integer, NavigableSet<Integer>> shards,
    NavigableMap<Integer, NavigableSet<Integer>> optimizers,
    String anyModelStates) {
  private static final Pattern MODEL = Pattern.compile("mp_rank_(\\d{1,6})_model_states\\.pt");
  private static final Pattern SHARD =
      Pattern.compile("zero_pp_rank_(\\d{1,6})_mp_rank_(\\d{1,6})_model_states\\.pt");
  private static final Pattern OPTIMIZER =
      Pattern.compile(
          "(?:bf16_|fp16_)?zero_pp_rank_(\\d{1,6})_mp_rank_(\\d{1,6})_optim_states\\.pt");

  static RankFiles of(Collection<Entry> files) {
    var models = new TreeSet<Integer>();
    var shards = new TreeMap<Integer, NavigableSet<Integer>>();
    var optimizers = new TreeMap<Integer, NavigableSet<Integer>>();
    var any = "";
    for (var file : files) {
      var model = MODEL.matcher(file.name());
      var shard = SHARD.matcher(file.name());
      var optimizer = OPTIMIZER.matcher(file.name());
      if (model.matches()) {
        models.add(Integer.parseInt(model.group(1)));
        any = file.name();
      } else if (shard.matches()) {
        add(shards, shard.group(2), shard.group(1));
        any = any.isEmpty() ? file.name() : any;
      } else if (optimizer.matches()) {
        add(optimizers, optimizer.group(2), optimizer.group(1));
      }
    }
    return new RankFiles(models, shards, optimizers, any);
  }

  private static void add(Map<Integer, NavigableSet<Integer>> ranks, String model, String data) {
    ranks
        .computeIfAbsent(Integer.parseInt(model), _ -> new TreeSet<>())
        .add(Integer.parseInt(data));
  }

  /** What is missing in between. */
  Optional<Verdict> gap() {
    if (anyModelStates.isEmpty()) {
      return Optional.of(Verdict.torn(Level.L2, "no states of a model are in it"));
    }
    var all = models.isEmpty() ? shards.navigableKeySet() : models;
    for (int rank = 0; rank <= all.last(); rank++) {
      if (!all.contains(rank)) {
        return torn("the states of the model of model-parallel rank " + rank + " are missing");
      }
    }
    for (var optimizer : optimizers.keySet()) {
      if (!all.contains(optimizer)) {
        return torn("the states of the model of model-parallel rank " + optimizer + " are missing");
      }
    }
    return Optional.empty();
  }

  /** What is missing of so many ranks. */
  Optional<Verdict> missing(World world) {
    var all = models.isEmpty() ? shards.keySet() : models;
    for (int model = 0; model < Math.max(world.modelParallel(), all.size()); model++) {
      if (!all.contains(model)) {
        return torn("the states of the model of model-parallel rank " + model + " are missing");
      }
      var ofShards = missing(shards, model, world);
      var ofOptimizers = missing(optimizers, model, world);
      if (models.isEmpty() && ofShards.isPresent()) {
        return torn("the states of the model of data-parallel rank " + ofShards.get());
      }
      if ((world.zero() || !optimizers.isEmpty()) && ofOptimizers.isPresent()) {
        return torn("the states of the optimizer of data-parallel rank " + ofOptimizers.get());
      }
    }
    return Optional.empty();
  }

  private static Optional<String> missing(
      Map<Integer, NavigableSet<Integer>> ranks, int model, World world) {
    var there = ranks.getOrDefault(model, new TreeSet<>());
    for (int rank = 0; rank < world.dataParallel(); rank++) {
      if (!there.contains(rank)) {
        return Optional.of(rank + " of " + world.dataParallel() + " are missing");
      }
    }
    return Optional.empty();
  }

  private static Optional<Verdict> torn(String reason) {
    return Optional.of(Verdict.torn(Level.L2, reason));
  }
}
