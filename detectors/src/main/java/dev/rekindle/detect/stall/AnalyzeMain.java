package dev.rekindle.detect.stall;

import dev.rekindle.cli.CommandTree;
import dev.rekindle.cli.UsageException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rekindle analyze}: names the ranks that hold up a job. */
@Command(
    name = "analyze",
    description = {
      "Which ranks a hanging training job waits for, by the files below the paths:",
      " - dumps of PyTorch's flight recorder, as pickle or as JSON, whose names end with the rank;",
      " - logs with lines of PyTorch's watchdog or of NCCL, of one rank each (rank_3.log) or of"
          + " several ([rank3]: in the lines);",
      " - answers of NCCL's RAS, as JSON or as text;",
      " - stacks of py-spy dump, as text or as JSON (rank_3.txt), shown for a rank that is named;",
      " - /proc/PID/status of its process (rank_3.status): it may be stopped by a signal."
    },
    footer = {
      "The classes: host (a process does not reach its next collective), device-or-link (it has"
          + " joined, and its device does not complete the collective), program (ranks call"
          + " different collectives), network (all have joined, and none completes), unknown.",
      "",
      "A dump says nothing about hardware. Look for other evidence, such as an XID or a NIC port"
          + " that is down, before you take a node out of service for what is named here."
    },
    exitCodeList = {
      "0:a rank is named",
      "2:wrong usage, or no file that can be used",
      "3:no rank can be named; with confidence low, those that are shown are a guess"
    })
public final class AnalyzeMain implements Callable<Integer> {
  /** No rank can be named: a guess is no name, here as for the controller. */
  public static final int UNKNOWN = 3;

  @Parameters(arity = "1..*", paramLabel = "PATH", description = "Files and folders.")
  private List<Path> paths = List.of();

  @Option(
      names = "--ranks",
      paramLabel = "N",
      defaultValue = "0",
      description = "Ranks of the job (WORLD_SIZE), where the files do not show it.")
  private int ranks;

  @Option(names = "--json", description = "One JSON object.")
  private boolean json;

  private final PrintStream out;

  /** Writes the report to {@code out}. */
  public AnalyzeMain(PrintStream out) {
    this.out = out;
  }

  /** Analyses and ends the process. */
  public static void main(String[] args) {
    CommandTree.main(new AnalyzeMain(CommandTree.standardOutput()), args);
  }

  @Override
  public Integer call() throws UsageException {
    if (ranks < 0) {
      throw new UsageException("--ranks is a number of ranks: " + ranks);
    }
    var files = read();
    if (files.isEmpty()) {
      throw new UsageException(
          files.notes().refused() == 0
              ? "no file below " + paths.getFirst() + " (links in it are not followed)"
              : "no dump, log or answer can be read; "
                  + String.join("; ", files.notes().notes().stream().limit(3).toList()));
    }
    var report = withNotes(analysis(files), notes(files));
    try {
      out.print(json ? StallJson.of(report) : StallText.of(report));
    } catch (IOException e) {
      throw UsageException.of("the report cannot be written", e);
    }
    out.flush();
    boolean named = !report.culprits().isEmpty() && report.confidence() != Confidence.LOW;
    return named ? 0 : UNKNOWN;
  }

  private WitnessFiles read() throws UsageException {
    try {
      return WitnessFiles.read(paths, WitnessFiles.Limits.USUAL);
    } catch (NoSuchFileException e) {
      throw new UsageException("no such file or folder: " + e.getFile());
    } catch (IOException e) {
      throw UsageException.of("the files cannot be read", e);
    }
  }

  private StallReport analysis(WitnessFiles files) {
    var logs = files.logs();
    int worldSize = ranks > 0 ? ranks : files.dumps().largestGroup();
    if (!files.stopped().isEmpty()) {
      var dumps = files.dumps();
      return StackFusion.shown(
          StallAnalysis.of(dumps.dumps(), dumps.unreadable(), files.stopped(), ranks),
          files.stacks());
    }
    Optional<StallReport> ofDumps =
        files.dumps().isEmpty() ? Optional.empty() : Optional.of(files.dumps().report(ranks));
    Optional<StallReport> ofLogs =
        logs.isEmpty()
            ? Optional.empty()
            : Optional.of(
                LogAnalysis.of(
                    logs.facts(),
                    logs.ranks(),
                    worldSize,
                    Map.of(),
                    WaitGraph.waiting(files.dumps().dumps())));
    boolean named =
        Stream.concat(ofDumps.stream(), ofLogs.stream()).anyMatch(r -> !r.culprits().isEmpty());
    return StackFusion.of(
        WitnessFusion.of(ofDumps, ofLogs, RasFinding.of(files.answers(), worldSize)),
        named,
        StackOutlier.of(files.stacks(), worldSize).unlessWaiting(files.dumps().dumps()),
        files.stacks(),
        files.dumps().dumps());
  }

  private List<String> notes(WitnessFiles files) {
    List<String> notes = new ArrayList<>();
    if (!files.logs().isEmpty() && ranks == 0 && files.dumps().largestGroup() == 0) {
      notes.add("the files do not say how many ranks the job has: see --ranks");
    }
    files.notes().notes().forEach(note -> notes.add("not used: " + note));
    return notes;
  }

  private static StallReport withNotes(StallReport report, List<String> notes) {
    var evidence = new ArrayList<>(report.evidence());
    evidence.addAll(notes);
    return new StallReport(report.culprits(), report.stallClass(), report.confidence(), evidence);
  }
}
