package dev.rekindle.detect.checkpoint.huggingface;

import dev.rekindle.detect.checkpoint.dcp.DcpFolder;
import dev.rekindle.detect.checkpoint.deepspeed.DeepSpeedFolder;
import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Times;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.parts.Parts;
import dev.rekindle.detect.checkpoint.parts.Weights;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The folders within a {@code checkpoint-N}: adapters, and what DeepSpeed and FSDP write. */
final class TrainerParts {
  private final Folder folder;

  TrainerParts(Folder folder) {
    this.folder = folder;
  }

  /** Folders of adapters: all but the one named default have a folder each (PEFT). */
  List<Folder> adapters() throws IOException {
    var adapters = new ArrayList<Folder>();
    for (var entry : folder.entries()) {
      if (entry.isFolder()
          && folder.folder(entry.name()).sample().stream().anyMatch(Weights::isOfAdapter)) {
        adapters.add(folder.folder(entry.name()));
      }
    }
    return adapters;
  }

  /** Judges each by the rules of who wrote it. */
  Verdict judge(Entry state, Level upTo) throws IOException {
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

  /** Whether there is a folder of that name. */
  boolean hasFolder(String name) throws IOException {
    return folder.entry(name).filter(Entry::isFolder).isPresent();
  }

  /** The folder of DeepSpeed. */
  Optional<Entry> deepSpeedTag() throws IOException {
    return folder.entries().stream()
        .filter(entry -> entry.isFolder() && entry.name().startsWith("global_step"))
        .findFirst();
  }
}
