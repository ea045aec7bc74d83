package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.CrashJournal.Named;
import dev.rekindle.detect.checkpoint.CrashJournal.Operation;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Plays a recorded save up to every operation, and within every write, and has each state judged as
 * a recovery would: after the process was killed there, and after the power failed there. The
 * README of testbed/checkpoints says what is right.
 */
final class CrashPoints {
  private static final List<String> TRACKERS =
      List.of("latest_checkpointed_iteration.txt", "latest");

  private final CrashJournal journal;
  private final Path root;
  private final CrashMirror mirror;
  private final int cuts;
  private final CrashState first;
  private final CrashState last;
  private final List<String> wrong = new ArrayList<>();
  private int killed;
  private int powerless;

  /**
   * @param cuts places within one write, at most
   */
  CrashPoints(CrashJournal journal, Path root, int cuts) {
    this.journal = journal;
    this.root = root;
    this.mirror = new CrashMirror(root);
    this.cuts = cuts;
    var state = new CrashState();
    for (var op : journal.before()) {
      state = state.with(earlier(op));
    }
    // What makes the directory as it was dates folders by the last name in them.
    for (var op : journal.before()) {
      state = op.kind().equals("mkdir") ? redate(state, earlier(op)) : state;
    }
    first = state.synced();
    var end = first;
    for (var op : journal.operations()) {
      end = end.with(op);
    }
    last = end;
  }

  /** The directory when everything was saved. */
  CrashState last() {
    return last;
  }

  /**
   * What came of it.
   *
   * @param killed states after a kill
   * @param powerless states after a power failure
   * @param wrong judged wrongly, each with a line that says how
   */
  record Outcome(int killed, int powerless, List<String> wrong) {}

  Outcome run() throws IOException {
    var state = first;
    killed(state, "before the first operation", true);
    var number = 0;
    for (var op : journal.operations()) {
      number++;
      for (var bytes : cuts(op)) {
        killed(
            state.with(op, bytes),
            number + " " + op.kind() + " " + op.path() + " at " + bytes,
            false);
      }
      state = state.with(op);
      var where = number + " " + op.kind() + " " + op.path();
      if (!op.kind().equals("sync")) {
        killed(state, where, number == journal.operations().size());
      }
      for (var lost : CrashState.Lost.values()) {
        var after = state.afterPowerFailure(lost);
        if (!contents(after, "").equals(contents(state, ""))) {
          powerless++;
          judge(after, where + ", then power lost (" + lost + ")", false, false);
        }
      }
    }
    return new Outcome(killed, powerless, wrong);
  }

  private void killed(CrashState state, String where, boolean isEdge) throws IOException {
    killed++;
    judge(state, where, true, isEdge);
  }

  private void judge(CrashState state, String where, boolean isKill, boolean isEdge)
      throws IOException {
    mirror.show(state);
    var result = new Scanner(root, Scanner.Settings.USUAL).scan();
    var verdicts = new TreeMap<String, Found>();
    for (var found : result.checkpoints()) {
      var path = root.relativize(Path.of(found.path())).toString();
      verdicts.put(path, found);
      if (found.verdict().isValid() && !isWhole(state, path)) {
        wrong.add(where + ": " + path + " is called Valid");
      }
    }
    if (isKill && isTrackerCutOff(state)) {
      var old = verdicts.get(journal.oldStep().path());
      if (old == null || old.verdict().kind() == Verdict.Kind.TORN) {
        wrong.add(where + ": only a tracker is cut off, and the older one is " + old);
      }
    } else if (isKill) {
      mustBeWhole(state, journal.oldStep(), verdicts, where);
      // In between all bytes may be there and not all operations: then either verdict is right.
      if (isEdge) {
        mustBeWhole(state, journal.newStep(), verdicts, where);
      }
      mustBeChosen(state, result, where);
    }
  }

  /** A checkpoint to which a save has done everything, or nothing, is judged as a whole one. */
  private void mustBeWhole(
      CrashState state, Named named, Map<String, Found> verdicts, String where) {
    if (!isWhole(state, named.path())) {
      return;
    }
    var found = verdicts.get(named.path());
    if (found == null
        || !found.format().equals(journal.format())
        || !found.verdict().kind().word().equals(journal.wholeIs())) {
      wrong.add(
          where + ": " + named.path() + " is whole and " + (found == null ? "not found" : found));
    }
  }

  /** The older one, as long as it is complete and the newer one is not. */
  private void mustBeChosen(CrashState state, Scanner.Result result, String where) {
    if (!journal.wholeIs().equals("Valid") || !isWhole(state, journal.oldStep().path())) {
      return;
    }
    var chosen =
        result.checkpoints().stream().filter(f -> f.verdict().isValid()).findFirst().orElse(null);
    var step = chosen == null ? -1 : chosen.step().orElse(-1);
    if (!result.error().isEmpty()
        || (!isWhole(state, journal.newStep().path()) && step != journal.oldStep().step())) {
      wrong.add(where + ": chosen is step " + step + ", error '" + result.error() + "'");
    }
  }

  /** A framework loads nothing by such a tracker, so choosing nothing is right. */
  private boolean isTrackerCutOff(CrashState state) {
    return TRACKERS.stream()
        .filter(tracker -> state.nodes().containsKey(tracker))
        .anyMatch(tracker -> !isWhole(state, tracker));
  }

  /** Whether all bytes of a checkpoint are there: as they were before, or as they will be. */
  private boolean isWhole(CrashState state, String path) {
    var now = contents(state, path);
    return !now.isEmpty()
        && (covers(now, contents(first, path)) || covers(now, contents(last, path)));
  }

  private static boolean covers(Map<String, Content> now, Map<String, Content> wanted) {
    return !wanted.isEmpty()
        && wanted.entrySet().stream()
            .allMatch(e -> Objects.equals(now.get(e.getKey()), e.getValue()));
  }

  private record Content(CrashState.Kind kind, int hash, int size, String link) {}

  /** Everything at a path and below it, without what resuming does not need. */
  private Map<String, Content> contents(CrashState state, String path) {
    var contents = new TreeMap<String, Content>();
    state
        .nodes()
        .forEach(
            (name, node) -> {
              if ((path.isEmpty() || name.equals(path) || name.startsWith(path + "/"))
                  && journal.optional().stream().noneMatch(name::matches)) {
                var data = content(name, node.data());
                contents.put(
                    name,
                    new Content(node.kind(), Arrays.hashCode(data), data.length, node.link()));
              }
            });
    return contents;
  }

  /** A line break behind a JSON value says nothing. */
  private static byte[] content(String name, byte[] data) {
    var end = data.length;
    while (name.endsWith(".json") && end > 0 && data[end - 1] == '\n') {
      end--;
    }
    return Arrays.copyOf(data, end);
  }

  private NavigableSet<Integer> cuts(Operation op) {
    var places = new TreeSet<Integer>();
    var size = op.data().length;
    for (int i = 1; i <= cuts && size > 1; i++) {
      places.add(Math.clamp((long) size * i / (cuts + 1), 1, size - 1));
    }
    if (cuts > 2 && size > 1) {
      places.add(1);
      places.add(size - 1);
    }
    return places;
  }

  private static Operation earlier(Operation op) {
    return new Operation(
        op.micros() - CrashState.MICROS_BETWEEN_SAVES,
        op.kind(),
        op.path(),
        op.other(),
        op.at(),
        op.data());
  }

  private static CrashState redate(CrashState state, Operation mkdir) {
    var next = state.copy();
    next.nodes()
        .computeIfPresent(
            mkdir.path(),
            (_, node) ->
                new CrashState.Node(
                    node.kind(), node.data(), node.link(), mkdir.micros(), node.synced()));
    return next;
  }
}
