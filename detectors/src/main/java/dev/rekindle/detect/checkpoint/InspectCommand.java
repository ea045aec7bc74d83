package dev.rekindle.detect.checkpoint;

import dev.rekindle.cli.CommandTree;
import dev.rekindle.cli.UsageException;
import dev.rekindle.detect.checkpoint.files.Limits;
import dev.rekindle.detect.checkpoint.format.Level;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rekindle inspect}: which checkpoints of a directory are whole. */
@Command(
    name = "inspect",
    description = {
      "Which checkpoints below a directory are whole, and which of them a recovery would resume"
          + " from. Nothing is loaded or unpickled; see docs/checkpoints.md."
    },
    exitCodeList = {
      "0:one would be resumed from",
      "2:wrong usage, or the directory cannot be listed",
      "3:none is whole, or nothing can be said"
    })
public final class InspectCommand implements Callable<Integer> {
  /** There is no checkpoint to resume from, or nothing is known. */
  public static final int NONE = 3;

  private static final Limits USUAL =
      new Limits(
          Limits.USUAL.rootEntries(),
          Limits.USUAL.folderEntries(),
          Limits.USUAL.bytes(),
          Duration.ofHours(1));

  @Parameters(paramLabel = "DIR", description = "The directory that the checkpoints are saved in.")
  private Path directory = Path.of("");

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = Formats.AUTO,
      description = "Look for this format alone (default: auto, which looks for all).")
  private String format = Formats.AUTO;

  @Option(
      names = "--deep",
      description = "Read every byte and compare checksums, where the format has any.")
  private boolean deep;

  @Option(names = "--json", description = "One JSON object.")
  private boolean json;

  private final PrintStream out;
  private final InstantSource clock;

  /** Writes the report to {@code out}; ages are counted to the clock's now. */
  public InspectCommand(PrintStream out, InstantSource clock) {
    this.out = out;
    this.clock = clock;
  }

  /** Inspects and ends the process. */
  public static void main(String[] args) {
    CommandTree.main(
        new InspectCommand(CommandTree.standardOutput(), InstantSource.system()), args);
  }

  @Override
  public Integer call() throws UsageException {
    if (!Formats.isKnown(format)) {
      throw new UsageException(
          "format '" + format + "' is not known; known are " + Formats.words());
    }
    var settings =
        new Scanner.Settings(
            format, deep ? Level.L4 : Level.L3, Integer.MAX_VALUE, deep ? Limits.DEEP : USUAL);
    var path = directory.toAbsolutePath().normalize();
    var result = new Scanner(path, settings).scan();
    if (!result.listed()) {
      throw new UsageException(path + ": " + result.error());
    }
    var choice = Choice.of(candidates(result), result.error());
    out.print(
        json
            ? InspectReport.json(result, choice)
            : InspectReport.table(result, choice, clock.instant()));
    out.flush();
    return choice.chosen().isPresent() ? 0 : NONE;
  }

  /** Those that a recovery would look at. */
  private static List<Candidate> candidates(Scanner.Result result) {
    return result.checkpoints().stream().limit(Choice.MOST).map(Found::candidate).toList();
  }
}
