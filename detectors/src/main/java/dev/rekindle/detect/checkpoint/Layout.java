package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.files.StoreException;
import dev.rekindle.detect.checkpoint.format.StepName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Recognises directories that hold checkpoints of other kinds than files of {@code torch.save}, so
 * that they are called by their name and never taken for a directory without any. Sub-directories
 * are searched one level deep, and a few levels more where nothing else is found.
 */
final class Layout {
  private static final int MAX_DIRECTORIES = 50;
  private static final int MAX_DEEPER = 200;

  /** As {@code outputs/2026-11-01/10-00-00/checkpoints/step-10}. */
  private static final int DEEPEST = 4;

  private static final String NOT_KNOWN = "a format that is not known";

  /** Endings of files of data that other libraries save: NumPy, TensorFlow, Keras, Paddle, Flax. */
  private static final Set<String> DATA =
      Set.of(
          "npz",
          "npy",
          "index",
          "h5",
          "hdf5",
          "keras",
          "weights",
          "pdparams",
          "params",
          "msgpack",
          "pkl",
          "pickle",
          "model",
          "zip",
          "gz",
          "zst",
          "gguf",
          "joblib");

  private final TreeSet<String> kinds = new TreeSet<>();
  private final List<Folder> dull = new ArrayList<>();
  private int mostEntered = MAX_DIRECTORIES;
  private int entered;
  private boolean nothingElse;

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

  /**
   * Searches what is in the folders that showed nothing by the names in them, and for files of
   * torch.save in these.
   */
  void takeDeeper() throws StoreException {
    mostEntered += MAX_DEEPER;
    nothingElse = true;
    for (int depth = 1; depth <= DEEPEST && kinds.isEmpty(); depth++) {
      var folders = List.copyOf(dull);
      dull.clear();
      for (var folder : folders) {
        for (var name : depth == 1 ? List.of("") : names(folder)) {
          enter(name.isEmpty() ? folder : folder.folder(name), below(folder, name));
        }
      }
    }
  }

  /** Takes what has a step in its name, whatever it is: a folder, or a file of data. */
  void takeSteps(Folder root) throws IOException {
    for (var entry : root.entries()) {
      var name = entry.name().toLowerCase(Locale.ROOT);
      var isOne =
          entry.isFolder()
              ? isStep(name) && !root.folder(entry.name()).sample().isEmpty()
              : isData(name);
      if (isOne && kinds.isEmpty()) {
        found(NOT_KNOWN, name);
      }
    }
  }

  private static boolean isData(String name) {
    var dot = name.lastIndexOf('.');
    return dot > 0
        && DATA.contains(name.substring(dot + 1))
        && StepName.ofFolder(name.substring(0, dot)) instanceof StepName.Step;
  }

  private static String below(Folder folder, String name) {
    return name.isEmpty() ? folder.path() : folder.path() + "/" + name;
  }

  /** Names of folders have no endings, mostly; those of files of data have. */
  private static List<String> names(Folder folder) throws StoreException {
    try {
      return folder.sample().stream().filter(name -> name.indexOf('.') < 0).sorted().toList();
    } catch (StoreException e) {
      throw e;
    } catch (IOException e) {
      // The time is over, which the next read finds as well.
      return List.of();
    }
  }

  /** The layout that the entries show; empty when they show none that is known. */
  Optional<String> looksLike() {
    return kinds.isEmpty() ? Optional.empty() : Optional.of(String.join(" and ", kinds));
  }

  private void found(String kind, String name) {
    if (kinds.stream().noneMatch(other -> other.startsWith(kind + " ("))) {
      kinds.add(kind + " (" + Names.printable(name) + ")");
    }
  }

  private void enter(Folder directory, String name) throws StoreException {
    var kind = ofDirectory(name.substring(name.lastIndexOf('/') + 1));
    if (!kind.isEmpty()) {
      found(kind, name + "/");
      return;
    }
    if (++entered > mostEntered) {
      return;
    }
    try {
      for (var inside : directory.sample()) {
        var file = inside.toLowerCase(Locale.ROOT);
        var of = ofName(file).isEmpty() ? ofDirectory(file) : ofName(file);
        if (of.isEmpty() && nothingElse && StepName.ofFile(file) instanceof StepName.Step) {
          of = file.endsWith(".ckpt") ? "Lightning" : "torch.save";
        }
        if (of.isEmpty() && nothingElse && isStep(file)) {
          of = NOT_KNOWN;
        }
        // Lightning makes lightning_logs/version_0/checkpoints for itself.
        if (of.isEmpty() && (file.endsWith(".ckpt") || name.equals("lightning_logs"))) {
          of = "Lightning";
        }
        if (!of.isEmpty()) {
          found(of, name + "/" + file);
          return;
        }
      }
      dull.add(directory);
    } catch (StoreException e) {
      throw e;
    } catch (IOException e) {
      // What may not be entered shows nothing.
      return;
    }
  }

  /** A folder, by its name: a file of logs or results has an ending. */
  private static boolean isStep(String name) {
    return StepName.ofFolder(name) instanceof StepName.Step
        && !name.matches(".*\\.[a-z][a-z0-9]{1,6}");
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
