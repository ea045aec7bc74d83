package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.files.Budget;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Limits;
import dev.rekindle.detect.checkpoint.files.Place;
import dev.rekindle.detect.checkpoint.files.StoreException;
import dev.rekindle.detect.checkpoint.files.TimeOverException;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.format.Generation;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Times;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Scans one place, again and again. What did not change since the last scan keeps its verdict. What
 * names no step, or looks like checkpoints of another kind, is never taken for "there is none": the
 * result says that nothing is known, and why.
 */
public final class Scanner {
  /** A node may have parts of several ranks, for each step one of each. */
  private static final int MOST_OF_A_STEP = 3;

  /** Formats whose checkpoints are single files of a name that is the script's. */
  private static final Set<String> ONE_FILE = Set.of("torch-save", "safetensors");

  /** The end of each shard is read of so many of the newest valid ones: it may be that of these. */
  private static final int ENDS_OF = 3;

  private final Place place;
  private final Settings settings;
  private Map<String, Known> known = Map.of();

  /** A scanner of a directory given by its absolute path. */
  public Scanner(Path directory, Settings settings) {
    this(Place.directory(directory), settings);
  }

  /** A scanner of a place. */
  public Scanner(Place place, Settings settings) {
    this.place = place;
    this.settings = settings;
  }

  /**
   * How to scan.
   *
   * @param format name of the only format to accept, or {@link Formats#AUTO}
   * @param upTo {@link Level#L3}, or {@link Level#L4} to read every byte
   * @param most steps whose checkpoints are judged, the newest ones
   * @param limits what it may cost
   */
  public record Settings(String format, Level upTo, int most, Limits limits) {
    /** As a recovery wants it. */
    public static final Settings USUAL =
        new Settings(Formats.AUTO, Level.L3, Choice.MOST, Limits.USUAL);
  }

  private record Known(long fingerprint, Verdict verdict) {}

  /**
   * What one scan gave.
   *
   * @param checkpoints newest step first
   * @param stepless those whose step nothing names, newest first; judged only where one is newer
   *     than all that name theirs
   * @param error why the list may be incomplete, or is not to be relied on, else empty
   * @param listed whether the directory could be listed at all
   */
  public record Result(
      List<Found> checkpoints, List<Found> stepless, String error, boolean listed) {
    /** The same for a gang of so many GPUs, 0 for any: what it cannot load is Unknown. */
    Result forGpus(long gpus) {
      return new Result(
          checkpoints.stream().map(found -> found.forGpus(gpus)).toList(), stepless, error, listed);
    }

    private static Result failed(String error) {
      return new Result(List.of(), List.of(), error, false);
    }
  }

  /** Scans once. */
  public Result scan() {
    try {
      var budget = new Budget(settings.limits(), System::nanoTime);
      var root = Folder.root(place.open(budget), budget);
      return scan(root, Search.of(root, Formats.ALL, settings.format()));
    } catch (NoSuchFileException e) {
      return Result.failed("the directory does not exist");
    } catch (NotDirectoryException e) {
      return Result.failed("it is not a directory");
    } catch (StoreException | TimeOverException e) {
      return Result.failed(Judge.reason(e));
    } catch (IOException | RuntimeException e) {
      return Result.failed("the directory cannot be listed: " + e.getClass().getSimpleName());
    }
  }

  private Result scan(Folder root, Search search) throws IOException {
    var newestFirst =
        search.generations().stream()
            .filter(g -> g.step().isPresent())
            .sorted(
                Comparator.comparingLong((Generation g) -> g.step().orElse(-1))
                    .reversed()
                    .thenComparing(Generation::path))
            .toList();
    Map<String, Known> next = new HashMap<>();
    var beside = Extent.beside(root);
    var found = new ArrayList<Found>();
    var valid = 0;
    for (var generation : newestFirst.subList(0, judged(newestFirst))) {
      root.budget().readEnds(valid < ENDS_OF);
      found.add(judge(generation, beside, next));
      valid += found.getLast().verdict().isValid() ? 1 : 0;
    }
    known = next;
    var stepless =
        search.generations().stream()
            .filter(g -> g.step().isEmpty())
            .map(generation -> unnamed(generation, newest(found)))
            .sorted(Comparator.comparing(Found::modified).reversed().thenComparing(Found::path))
            .toList();
    return new Result(
        Companions.of(copies(found), ONE_FILE),
        stepless,
        Doubts.of(root, search.doubts(), found, stepless),
        true);
  }

  /** How many are judged: the newest, of which those of one step that has several count as one. */
  private int judged(List<Generation> newestFirst) {
    var steps = 0;
    var all = 0;
    for (var last = -1L; all < newestFirst.size(); all++) {
      var step = newestFirst.get(all).step().orElse(-1);
      steps += step == last ? 0 : 1;
      last = step;
      if (steps > settings.most() || all == (long) settings.most() * MOST_OF_A_STEP) {
        break;
      }
    }
    return all;
  }

  private Found judge(Generation generation, long beside, Map<String, Known> next) {
    try {
      var budget = generation.folder().budget();
      budget.nextGeneration();
      var extent = Extent.of(generation);
      var fingerprint = (extent.fingerprint() * 31 + beside) * 2 + (budget.readsEnds() ? 1 : 0);
      var before = known.get(generation.path());
      var judged =
          before != null && before.fingerprint() == fingerprint
              ? new Judge.Judged(before.verdict(), true)
              : Judge.of(format(generation), generation, settings.upTo());
      if (judged.lasts()) {
        next.put(generation.path(), new Known(fingerprint, judged.verdict()));
      }
      return found(generation, generation.step(), extent, judged.verdict());
    } catch (IOException | RuntimeException e) {
      return found(
          generation,
          generation.step(),
          new Extent(0, Instant.EPOCH, 0),
          Verdict.unknown(Level.L1, Judge.reason(e)));
    } finally {
      if (!generation.path().isEmpty() && generation.entry().isFolder()) {
        generation.folder().release();
      }
    }
  }

  /**
   * A save that was killed leaves one generation with files newer than its marker. Where several
   * have such, they are taken for a copy that has lost its times, and nothing can be said.
   */
  private static List<Found> copies(List<Found> found) {
    if (found.stream().filter(f -> Times.areMixed(f.verdict())).count() < 2) {
      return found;
    }
    return found.stream().map(f -> Times.areMixed(f.verdict()) ? maybeCopied(f) : f).toList();
  }

  private static Found maybeCopied(Found f) {
    var why = f.verdict().reason() + ", or it was copied without its times, as others were";
    return new Found(
        f.path(),
        f.format(),
        f.step(),
        f.bytes(),
        f.modified(),
        Verdict.unknown(f.verdict().level(), why));
  }

  private static Instant newest(List<Found> found) {
    return found.stream().map(Found::modified).max(Instant::compareTo).orElse(Instant.MAX);
  }

  /** One that would be newer than all others is judged: a torn one is not what to resume from. */
  private Found unnamed(Generation generation, Instant newest) {
    var why = Verdict.unknown(Level.L0, generation.stepless());
    try {
      var extent = Extent.of(generation);
      if (Doubts.isLater(extent.modified(), newest)) {
        var verdict = Judge.of(format(generation), generation, settings.upTo()).verdict();
        why = verdict.kind() == Verdict.Kind.TORN ? verdict : why;
      }
      return found(generation, OptionalLong.empty(), extent, why);
    } catch (IOException | RuntimeException e) {
      return found(generation, OptionalLong.empty(), new Extent(0, Instant.EPOCH, 0), why);
    }
  }

  private Found found(Generation generation, OptionalLong step, Extent extent, Verdict verdict) {
    return new Found(
        place.below(generation.path()),
        generation.format(),
        step,
        extent.bytes(),
        extent.modified(),
        verdict);
  }

  private static CheckpointFormat format(Generation generation) {
    return Formats.named(generation.format()).orElseThrow();
  }
}
