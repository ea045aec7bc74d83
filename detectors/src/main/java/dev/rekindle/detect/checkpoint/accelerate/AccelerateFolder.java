package dev.rekindle.detect.checkpoint.accelerate;

import dev.rekindle.detect.checkpoint.dcp.DcpFolder;
import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Times;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.parts.OneBefore;
import dev.rekindle.detect.checkpoint.parts.OneSave;
import dev.rekindle.detect.checkpoint.parts.Parts;
import dev.rekindle.detect.checkpoint.parts.Proof;
import dev.rekindle.detect.checkpoint.parts.Weights;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Judges one folder of {@code save_state}. It has no marker: each rank writes its random states
 * last, but for objects that the script registered, which come after them.
 */
final class AccelerateFolder {
  static final Pattern RANDOM = Pattern.compile("random_states_(\\d{1,6})\\.pkl");
  private static final Pattern NUMBERED =
      Pattern.compile("(optimizer|scheduler|custom_checkpoint|random_states)_?(\\d*)\\..*");

  /** What no index and no number of ranks says, and a script saves each time or never. */
  private static final Pattern LASTING =
      Pattern.compile(
          "(?:optimizer|scheduler|sampler|dl_state_dict|scaler|custom_checkpoint|random_states)"
              + "_?\\d*\\..*|(?:model|pytorch_model)_\\d+\\.(?:safetensors|bin)");

  private static final Pattern OF_FSDP = Pattern.compile("(?:pytorch_model_fsdp|optimizer)_\\d+");

  private AccelerateFolder() {}

  /** Whether a folder {@code checkpoint_N} with these names in it may be of Accelerate. */
  static boolean mayBeOne(Collection<String> names) {
    return !DcpFolder.isOne(names)
        && (names.isEmpty()
            || names.stream().anyMatch(n -> Weights.isOne(n) || NUMBERED.matcher(n).matches()));
  }

  static Verdict judge(Generation generation, Level upTo) throws IOException {
    var folder = generation.folder();
    var files = Parts.files(folder);
    if (folder.entry(Weights.FSDP).filter(Entry::isFolder).isEmpty()) {
      var weights = Weights.missing(folder);
      if (weights.isPresent()) {
        return mayKeepThemElsewhere(folder)
            ? Verdict.unknown(Level.L2, "its weights are in folders of its script, not judged")
            : ofAccelerate(generation, weights.get().level(), weights.get().reason());
      }
    }
    var random = new TreeMap<Integer, Entry>();
    for (var file : files) {
      var matcher = RANDOM.matcher(file.name());
      if (matcher.matches()) {
        random.put(Integer.parseInt(matcher.group(1)), file);
      }
    }
    if (random.isEmpty()) {
      return ofAccelerate(
          generation, Level.L1, "random_states_0.pkl is missing: each rank writes its own last");
    }
    for (int rank = 0; rank <= random.lastKey(); rank++) {
      if (!random.containsKey(rank)) {
        return Verdict.torn(Level.L2, "random_states_" + rank + ".pkl is missing");
      }
    }
    var fault = Parts.fault(folder, files, upTo);
    if (fault.isPresent()) {
      return fault.get();
    }
    var nested = nested(folder);
    if (!nested.isValid()) {
      return nested;
    }
    var mixed = OneSave.fault(generation.parent(), folder, AccelerateFolder::written);
    return mixed.isPresent() ? mixed.get() : hasWhatTheOneBeforeHas(generation);
  }

  private static Verdict ofAccelerate(Generation generation, Level level, String missing)
      throws IOException {
    return Proof.torn(
        generation.parent(),
        generation.folder(),
        name -> RANDOM.matcher(name).matches(),
        level,
        missing,
        "Accelerate");
  }

  /** What each save writes; a script may put other files beside it at any time. */
  private static List<Entry> written(Folder folder) throws IOException {
    var files = new ArrayList<Entry>();
    for (var entry : folder.entries()) {
      if (entry.isFile()
          && (Weights.isOne(entry.name()) || LASTING.matcher(entry.name()).matches())) {
        files.add(entry);
      }
      if (entry.isFolder() && OF_FSDP.matcher(entry.name()).matches()) {
        folder.folder(entry.name()).entry(DcpFolder.MARKER).ifPresent(files::add);
      }
    }
    return files;
  }

  /**
   * A hook of the script may save the models, as those of diffusers do, {@code unet} and others.
   */
  private static boolean mayKeepThemElsewhere(Folder folder) throws IOException {
    return AccelerateFormat.hasRandomStates(folder.sample())
        && folder.entries().stream().anyMatch(Entry::isFolder);
  }

  private static Verdict nested(Folder folder) throws IOException {
    for (var entry : folder.entries()) {
      if (entry.isFolder() && OF_FSDP.matcher(entry.name()).matches()) {
        var verdict = DcpFolder.judge(folder.folder(entry.name()));
        if (!verdict.isValid()) {
          return verdict.in(entry.name());
        }
      }
    }
    return Verdict.VALID;
  }

  /**
   * What a script saves does not change, so what the one before it has and this one lacks was not
   * written yet, or is deleted: there is no marker that would say.
   */
  private static Verdict hasWhatTheOneBeforeHas(Generation generation) throws IOException {
    var name = before(generation);
    if (name.isEmpty()) {
      return deleted(generation);
    }
    var lacks =
        OneBefore.lacks(
            generation.parent(), name, generation.folder(), n -> LASTING.matcher(n).matches());
    return lacks.isPresent()
        ? lacks.get()
        : generation.folder().timesAreOfWrites() ? deleted(generation) : Verdict.VALID;
  }

  /** Name of the folder that was saved before this one; empty where there is none. */
  private static String before(Generation generation) throws IOException {
    var own = generation.entry().name();
    var step = generation.step().orElse(0);
    var name = "checkpoint_" + (step - 1);
    if (own.equals("checkpoint_" + step)) {
      return generation.parent().entry(name).filter(Entry::isFolder).isPresent() ? name : "";
    }
    return OneBefore.name(generation.parent(), own);
  }

  /** Names that go change the folder after its last file was written. */
  private static Verdict deleted(Generation generation) throws IOException {
    if (!generation.folder().timesAreOfWrites()) {
      return Verdict.unknown(
          Level.L2,
          "nothing was saved before it, and the store does not say whether more will come");
    }
    var newest = generation.entry().modified().minus(Times.SKEW);
    return Parts.files(generation.folder()).stream().anyMatch(f -> f.modified().isAfter(newest))
        ? Verdict.VALID
        : Verdict.unknown(Level.L2, "names came or went after it was saved");
  }
}
