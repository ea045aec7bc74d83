package dev.rekindle.detect.judge;

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
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code rekindle judge}: runs the rules against a recorded kernel log. */
public final class JudgeMain {
  static final String USAGE =
      """
      Usage: rekindle judge LOG [--rules FILE] [--policy FILE] [--json]

      What Rekindle would have decided on a recorded kernel log: dmesg text in any of its time formats,
      journal text or JSON, syslog files, or raw records of /dev/kmsg. LOG may be - for standard input.

        --rules FILE   rules to lay over those that ship, see docs/operations.md
        --policy FILE  the RecoveryPolicy whose thresholds hold, as kubectl get recoverypolicy default
                       -o yaml prints it; without it the defaults
        --json         one object for each recognised line: code (a number; null where the line has
                       none), device (PCI address 0000:3b:00; empty where the line names none), source
                       (xid, sxid, mlx5, segfault, reset, nvrm, pcie, machine, nvme, filesystem),
                       verdict (ignore, watch, restart, fence), reason; and name, line, time, unit, action, rule, uuid where there is something to say

      Each line is judged by itself as the agent does, and what comes again is weighed as the controller
      does, by the same thresholds: those of the policy. A log tells no pods: the name of a process
      stands for its owner. Times decide what is one incident; lines without any count as one moment.
      Exit code 0: judged. 2: wrong usage, a log that cannot be read, rules or a policy that are wrong.
      """;

  private JudgeMain() {}

  /** Judges and ends the process. */
  public static void main(String[] args) {
    var out =
        new PrintStream(
            new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 64 * 1024),
            false,
            StandardCharsets.UTF_8);
    var code = run(List.of(args), System.in, out, System.err);
    out.flush();
    System.exit(code);
  }

  /** Judges; returns the exit code. */
  public static int run(List<String> args, InputStream in, PrintStream out, PrintStream err) {
    var json = false;
    @Nullable Path rulesFile = null;
    @Nullable Path policyFile = null;
    List<String> logs = new ArrayList<>();
    var rest = new ArrayList<>(args);
    while (!rest.isEmpty()) {
      var word = rest.removeFirst();
      switch (word) {
        case "--help", "-h" -> {
          out.print(USAGE);
          return 0;
        }
        case "--json" -> json = true;
        case "--rules" -> {
          if (rest.isEmpty()) {
            return wrong(err, "--rules needs a file");
          }
          rulesFile = Path.of(rest.removeFirst());
        }
        case "--policy" -> {
          if (rest.isEmpty()) {
            return wrong(err, "--policy needs a file");
          }
          policyFile = Path.of(rest.removeFirst());
        }
        default -> {
          if (word.startsWith("--policy=")) {
            policyFile = Path.of(word.substring("--policy=".length()));
          } else if (word.startsWith("--rules=")) {
            rulesFile = Path.of(word.substring("--rules=".length()));
          } else if (word.startsWith("-") && !word.equals("-")) {
            return wrong(err, "unknown option '" + word + "'");
          } else {
            logs.add(word);
          }
        }
      }
    }
    if (logs.size() != 1) {
      return wrong(err, logs.isEmpty() ? "no LOG given" : "more than one LOG given");
    }
    Rules rules;
    try {
      rules = rules(rulesFile);
    } catch (IOException e) {
      err.println("rekindle judge: the rules cannot be read: " + e);
      return 2;
    } catch (IllegalArgumentException e) {
      err.println("rekindle judge: " + e.getMessage());
      return 2;
    }
    Thresholds thresholds;
    try {
      thresholds = policyFile == null ? Thresholds.DEFAULT : PolicyFile.thresholds(policyFile);
    } catch (IOException e) {
      err.println("rekindle judge: the policy cannot be read: " + e);
      return 2;
    } catch (IllegalArgumentException e) {
      err.println("rekindle judge: " + e.getMessage());
      return 2;
    }
    var judge = new LogJudge(new Judge(rules, XidCatalog.load(), SxidCatalog.load()), thresholds);
    try (var log =
        logs.getFirst().equals("-") ? in : Files.newInputStream(Path.of(logs.getFirst()))) {
      judge(judge, log, json ? new JsonReport(out) : new TableReport(out));
    } catch (IOException e) {
      err.println("rekindle judge: the log cannot be read: " + e);
      return 2;
    }
    return 0;
  }

  private static int wrong(PrintStream err, String what) {
    err.println("rekindle judge: " + what);
    err.print(USAGE);
    return 2;
  }

  static Rules rules(@Nullable Path file) throws IOException {
    return file == null
        ? Rules.shipped()
        : Rules.shipped().with(file.toString(), Files.readString(file));
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
