package dev.rekindle.detect.checkpoint.parts;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The weights of a model in a folder, under the names that Hugging Face's libraries give them. */
public final class Weights {
  private static final Set<String> WHOLE =
      Set.of(
          "model.safetensors",
          "pytorch_model.bin",
          "adapter_model.safetensors",
          "adapter_model.bin",
          "pytorch_model_fsdp.bin");

  private static final Set<String> INDEXES =
      Set.of("model.safetensors.index.json", "pytorch_model.bin.index.json");

  private static final Pattern SHARD =
      Pattern.compile("(?:model|pytorch_model)-\\d{5}-of-\\d{5}\\.(?:safetensors|bin)");

  /** FSDP's weights are a folder of torch.distributed.checkpoint. */
  public static final String FSDP = "pytorch_model_fsdp_0";

  private Weights() {}

  /** Whether a name is that of weights, or of a part of them. */
  public static boolean isOne(String name) {
    return WHOLE.contains(name) || INDEXES.contains(name) || SHARD.matcher(name).matches();
  }

  /** Whether a name is that of an adapter's weights. */
  public static boolean isOfAdapter(String name) {
    return name.equals("adapter_model.safetensors") || name.equals("adapter_model.bin");
  }

  /** What is missing of the weights; empty where some are there, with an index if in shards. */
  public static Optional<Verdict> missing(Folder folder) throws IOException {
    var shard = Optional.<Entry>empty();
    for (var entry : folder.entries()) {
      if (entry.isFile() && WHOLE.contains(entry.name())) {
        return Optional.empty();
      }
      if (entry.isFile() && INDEXES.contains(entry.name())) {
        return Optional.empty();
      }
      if (SHARD.matcher(entry.name()).matches()) {
        shard = Optional.of(entry);
      }
    }
    return Optional.of(
        Verdict.torn(
            Level.L2,
            shard.isEmpty()
                ? "no weights of a model are in it"
                : "the index of its shards is missing: it is written after them"));
  }
}
