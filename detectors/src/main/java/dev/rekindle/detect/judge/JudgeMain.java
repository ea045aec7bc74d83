package dev.rekindle.detect.judge;

import dev.rekindle.cli.CommandTree;
import dev.rekindle.cli.UsageException;
import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.rules.Rules;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.weigh.Thresholds;
import dev.rekindle.detect.xid.XidCatalog;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rekindle judge}: runs the rules against a recorded kernel log. */
@Command(
    name = "judge",
    description = {
      "What Rekindle would have decided on a recorded kernel log: dmesg text in any of its time"
          + " formats, journal text or JSON, syslog files, or raw records of /dev/kmsg."
    },
    footer = {
      "An object of --json has code (a number; null where the line has none), device (PCI address"
          + " 0000:3b:00; empty where the line names none), source (xid, sxid, mlx5, segfault,"
          + " reset, nvrm, pcie, machine, nvme, filesystem), verdict (ignore, watch, restart,"
          + " fence) and reason; where known also name, line, time, unit, action, rule and uuid.",
      "",
      "Each line is judged by itself as the agent does, and what comes again is weighed as the"
          + " controller does, by the thresholds of the policy. A log names no pods: the name of a"
          + " process stands for its owner. Times decide what is one incident; lines without any"
          + " count as one moment."
    },
    exitCodeList = {
      "0:judged",
      "2:wrong usage, a log that cannot be read, or rules or a policy that are wrong"
    })
public final class JudgeMain implements Callable<Integer> {
  @Parameters(paramLabel = "LOG", description = "The log; - is standard input.")
  private String log = "";

  @Option(
      names = "--rules",
      paramLabel = "FILE",
      description =
          "Rules that come before the built-in ones; see docs/operations/kernel-log-rules.md.")
  private @Nullable Path rulesFile;

  @Option(
      names = "--policy",
      paramLabel = "FILE",
      description =
          "The RecoveryPolicy whose thresholds hold, as `kubectl get recoverypolicy default -o"
              + " yaml` prints it; without it the defaults.")
  private @Nullable Path policyFile;

  @Option(names = "--json", description = "One JSON object for each recognised line.")
  private boolean json;

  private final InputStream in;
  private final PrintStream out;

  /** Reads standard input where LOG is {@code -}, and writes the report to {@code out}. */
  public JudgeMain(InputStream in, PrintStream out) {
    this.in = in;
    this.out = out;
  }

  /** Judges and ends the process. */
  public static void main(String[] args) {
    CommandTree.main(standard(), args);
  }

  /** On the process' standard input and output; a log may have millions of lines. */
  public static JudgeMain standard() {
    return new JudgeMain(
        System.in,
        new PrintStream(
            new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 64 * 1024),
            false,
            StandardCharsets.UTF_8));
  }

  @Override
  public Integer call() throws UsageException {
    var judge =
        new LogJudge(
            new Judge(rules(rulesFile), XidCatalog.load(), SxidCatalog.load()), thresholds());
    try (var lines = log.equals("-") ? in : Files.newInputStream(Path.of(log))) {
      judge(judge, lines, json ? new JsonReport(out) : new TableReport(out));
    } catch (IOException e) {
      throw UsageException.of(log + " cannot be read", e);
    } finally {
      out.flush();
    }
    return 0;
  }

  static Rules rules(@Nullable Path file) throws UsageException {
    try {
      return file == null
          ? Rules.shipped()
          : Rules.shipped().with(file.toString(), Files.readString(file));
    } catch (IOException e) {
      throw UsageException.of(file + " cannot be read", e);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private Thresholds thresholds() throws UsageException {
    try {
      return policyFile == null ? Thresholds.DEFAULT : PolicyFile.thresholds(policyFile);
    } catch (IOException e) {
      throw UsageException.of(policyFile + " cannot be read", e);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private static void judge(LogJudge judge, InputStream log, Report report) throws IOException {
    var lines = new LineReader(log);
    for (var line = lines.next(); line != null; line = lines.next()) {
      var judged = judge.take(line);
      if (judged.isPresent() && !report.add(judged.get())) {
        return; // The reader has closed the pipe.
      }
    }
    report.end(judge.lines(), judge.boots());
  }
}
