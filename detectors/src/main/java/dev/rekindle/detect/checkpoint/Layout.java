package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.files.StoreException;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Recognises directories that hold checkpoints of other kinds than files of {@code torch.save}, so
 * that they are called by their name and never taken for a directory without any. Sub-directories
 * are looked into one level deep.
 */
final class Layout {
  private static final int MAX_DIRECTORIES = 50;

  private final TreeSet<String> kinds = new TreeSet<>();
  private int entered;

  /** Takes one entry of the directory. */
  void take(Folder root, Entry entry) throws StoreException {
    var name = entry.name().toLowerCase(Locale.ROOT);
    var kind = ofName(name);
    if (!kind.isEmpty()) {
      found(kind, name);
    } else if (!name.startsWith(".") && entry.isFolder()) {
      enter(root.folder(entry.name()), name);
    }
  }

  /** What the entries look like; empty when they look like nothing known. */
  Optional<String> looksLike() {
    return kinds.isEmpty() ? Optional.empty() : Optional.of(String.join(" and ", kinds));
  }

  private void found(String kind, String name) {
    if (kinds.stream().noneMatch(other -> other.startsWith(kind + " ("))) {
      kinds.add(kind + " (" + Names.printable(name) + ")");
    }
  }

  private void enter(Folder directory, String name) throws StoreException {
    var kind = ofDirectory(name);
    if (!kind.isEmpty()) {
      found(kind, name + "/");
      return;
    }
    if (++entered > MAX_DIRECTORIES) {
      return;
    }
    try {
      for (var inside : directory.sample()) {
        var file = inside.toLowerCase(Locale.ROOT);
        var of = ofName(file).isEmpty() ? ofDirectory(file) : ofName(file);
        // Lightning makes lightning_logs/version_0/checkpoints for itself.
        if (of.isEmpty() && (file.endsWith(".ckpt") || name.equals("lightning_logs"))) {
          of = "Lightning";
        }
        if (!of.isEmpty()) {
          found(of, name + "/" + file);
          return;
        }
      }
    } catch (StoreException e) {
      throw e;
    } catch (IOException e) {
      // What may not be entered shows nothing.
      return;
    }
  }

  /** By the name of a file. */
  private static String ofName(String name) {
    return switch (name) {
      case ".metadata" -> "torch.distributed.checkpoint";
      case "latest_checkpointed_iteration.txt" -> "Megatron";
      case "latest_universal", "zero_to_fp32.py" -> "DeepSpeed";
      case "trainer_state.json",
          "model.safetensors",
          "model.safetensors.index.json",
          "pytorch_model.bin",
          "pytorch_model.bin.index.json" ->
          "Hugging Face";
      case "commit_success.txt", "_checkpoint_metadata" -> "Orbax";
      default -> ofEnding(name);
    };
  }

  private static String ofEnding(String name) {
    if (name.endsWith(".distcp")) {
      return "torch.distributed.checkpoint";
    }
    if (name.endsWith("_model_states.pt") || name.endsWith("_optim_states.pt")) {
      return "DeepSpeed";
    }
    if (name.endsWith(".safetensors")) {
      return "Hugging Face";
    }
    if (name.endsWith("-unfinished")) {
      return "NeMo";
    }
    return name.contains(".orbax-checkpoint-tmp") ? "Orbax" : "";
  }

  /** By the name of a directory. */
  private static String ofDirectory(String name) {
    if (numbered(name, "iter_") || name.startsWith("mp_rank_")) {
      return "Megatron";
    }
    if (numbered(name, "global_step")) {
      return "DeepSpeed";
    }
    if (numbered(name, "checkpoint-")) {
      return "Hugging Face";
    }
    if (numbered(name, "step-")) {
      return "torchtitan";
    }
    if (name.endsWith(".ckpt")) {
      return "Lightning";
    }
    return numbered(name, "") ? "Orbax" : "";
  }

  private static boolean numbered(String name, String prefix) {
    return name.length() > prefix.length()
        && name.startsWith(prefix)
        && name.chars().skip(prefix.length()).allMatch(c -> c >= '0' && c <= '9');
  }
}
