package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.format.Findings;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.StepName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Asks the formats what they find in a directory. A path belongs to the first that finds it, with
 * all that is below it.
 *
 * @param generations what was found
 * @param doubts why it is not to be relied on
 * @param taken paths that belong to a format
 */
record Search(List<Generation> generations, List<String> doubts, Set<String> taken) {

  /**
   * Searches a directory.
   *
   * @param wanted name of the only format to ask, or {@link Formats#AUTO}
   * @throws IOException when the directory itself cannot be listed
   */
  static Search of(Folder root, List<CheckpointFormat> formats, String wanted) throws IOException {
    root.entries();
    var search = new Search(new ArrayList<>(), new ArrayList<>(), new HashSet<>());
    var auto = wanted.equals(Formats.AUTO);
    search.ask(root, formats.stream().filter(f -> auto || f.name().equals(wanted)).toList());
    search.takeTheirLike(root);
    if (auto) {
      search.refuseTwoFormats(formats);
      search.nameOthers(root);
    } else if (search.generations.isEmpty()) {
      // Checkpoints of another kind are never "there are none".
      var others = Search.of(root, formats, Formats.AUTO);
      if (!others.generations.isEmpty() || !others.doubts.isEmpty()) {
        search.doubts.add(
            "there are no checkpoints of "
                + wanted
                + ", but "
                + (others.generations.isEmpty()
                    ? others.doubts.getFirst()
                    : "such of " + others.generations.getFirst().format()));
      }
    }
    return search;
  }

  private void ask(Folder root, List<CheckpointFormat> formats) {
    for (var format : formats) {
      Findings findings;
      try {
        findings = format.find(root);
      } catch (IOException | RuntimeException e) {
        doubts.add("looking for checkpoints of " + format.title() + " failed: " + Judge.reason(e));
        continue;
      }
      doubts.addAll(findings.doubts());
      var of =
          findings.generations().stream()
              .filter(g -> isFree(g.path()) && !isHidden(g.path()))
              .toList();
      generations.addAll(of);
      of.forEach(g -> taken.add(g.path()));
      taken.addAll(findings.others());
    }
  }

  /**
   * A link that leads away, an empty folder and one that may not be entered show no format. Where
   * they are named as checkpoints beside them are, but for the step, they are such as well, and are
   * not passed over without a word.
   */
  private void takeTheirLike(Folder root) throws IOException {
    var shapes = new HashMap<String, Generation>();
    for (var one : generations) {
      if (one.step().isPresent() && !one.path().isEmpty() && !one.path().contains("/")) {
        shapes.putIfAbsent(shape(one.path()), one);
      }
    }
    for (var entry : root.entries()) {
      var like = shapes.get(shape(entry.name()));
      if (like != null && isFree(entry.name()) && showsNothing(root, entry, like)) {
        var named = StepName.ofFolder(entry.name());
        if (named instanceof StepName.Step) {
          generations.add(Generation.folder(like.format(), root, entry, named));
          taken.add(entry.name());
        }
      }
    }
  }

  private static boolean showsNothing(Folder root, Entry entry, Generation like)
      throws IOException {
    return entry.kind() == Entry.Kind.OUTSIDE
        || (like.entry().isFolder()
            && entry.isFolder()
            && root.folder(entry.name()).sample().isEmpty());
  }

  private static String shape(String name) {
    return name.replaceAll("[0-9]+", "0");
  }

  /** Writers put an unfinished folder under a hidden name, and name it when it is complete. */
  private static boolean isHidden(String path) {
    return path.startsWith(".");
  }

  /** Whether neither a path nor anything above it is taken. */
  private boolean isFree(String path) {
    if (taken.contains("") && path.contains("/")) {
      return false;
    }
    for (var at = path; ; at = at.substring(0, at.lastIndexOf('/'))) {
      if (taken.contains(at)) {
        return false;
      }
      if (at.lastIndexOf('/') < 0) {
        return true;
      }
    }
  }

  /** A script loads one format; a step of another is no use to it. */
  private void refuseTwoFormats(List<CheckpointFormat> formats) {
    var titles =
        formats.stream()
            .filter(
                f ->
                    generations.stream()
                        .anyMatch(g -> g.step().isPresent() && g.format().equals(f.name())))
            .map(CheckpointFormat::title)
            .toList();
    if (titles.size() > 1) {
      doubts.add(
          "checkpoints of "
              + String.join(" and of ", titles)
              + " lie beside one another: name the format that the script loads");
    }
  }

  /** What no format has found may still be checkpoints of one that is not judged. */
  private void nameOthers(Folder root) throws IOException {
    // A file whose name has no step may be any format's.
    var files =
        generations.stream()
            .filter(g -> g.step().isEmpty() && !g.entry().isFolder())
            .map(Generation::path)
            .collect(Collectors.toSet());
    var found = generations.stream().filter(g -> !files.contains(g.path())).toList();
    var names =
        taken.stream()
            .filter(path -> !files.contains(path))
            .map(Search::first)
            .collect(Collectors.toSet());
    var isOne = names.contains("");
    var layout = new Layout();
    for (var entry : root.entries()) {
      if (!names.contains(entry.name())
          && (!isOne || entry.isFolder())
          && (found.isEmpty() || !TemporaryName.isOne(entry.name()))) {
        layout.take(root, entry);
      }
    }
    if (generations.isEmpty()) {
      layout.takeDeeper();
      if (layout.looksLike().isEmpty()) {
        layout.takeSteps(root);
      }
    }
    layout
        .looksLike()
        .ifPresent(
            kinds ->
                doubts.add(
                    "it looks like checkpoints of "
                        + kinds
                        + (found.isEmpty() ? "" : " beside " + found.getFirst().format())
                        + ", which are not judged"));
  }

  private static String first(String path) {
    var slash = path.indexOf('/');
    return slash < 0 ? path : path.substring(0, slash);
  }
}
