package dev.rekindle.simulator.app;

import dev.rekindle.cli.CommandTree;
import dev.rekindle.controller.app.ApproveCommand;
import dev.rekindle.controller.app.DoctorCommand;
import dev.rekindle.controller.app.ListCommand;
import dev.rekindle.controller.app.NotifyTestCommand;
import dev.rekindle.controller.app.ReleaseCommand;
import dev.rekindle.controller.app.ReportCommand;
import dev.rekindle.controller.app.TimelineCommand;
import dev.rekindle.detect.checkpoint.InspectCommand;
import dev.rekindle.detect.judge.ExplainMain;
import dev.rekindle.detect.judge.JudgeMain;
import dev.rekindle.detect.stall.AnalyzeMain;
import dev.rekindle.simulator.chaos.SimulateCommand;
import dev.rekindle.simulator.drill.DrillCommand;
import dev.rekindle.simulator.replay.ReplayCommand;
import java.io.PrintStream;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the script {@code rekindle} starts for every command that needs a JVM. */
public final class Main {
  private static final List<String> COMMANDS =
      List.of(
          "drill",
          "simulate",
          "replay",
          "judge",
          "explain",
          "analyze",
          "inspect",
          "doctor",
          "list",
          "timeline",
          "approve",
          "release",
          "report",
          "notify-test",
          "completion");

  private Main() {}

  /** Names of the commands, in the order of the help. {@code testbed} is the script's own. */
  public static List<String> commands() {
    return COMMANDS;
  }

  /** The command comes first, then its arguments. */
  public static void main(String[] args) {
    PrintStream out = CommandTree.standardOutput();
    int code = run(List.of(args), out, System.err);
    out.flush();
    System.exit(code);
  }

  static int run(List<String> args, PrintStream out, PrintStream err) {
    if (args.equals(List.of("drill"))) {
      // Nothing to parse. Picocli's classes are of Java 5, which no archive of loaded classes
      // takes: they cost 0.15 s of a start that takes 0.1 s.
      return new DrillCommand(out).drill();
    }
    // Of the commands all but one would be read for nothing, and a drill takes a second.
    Optional<Object> only = args.isEmpty() ? Optional.empty() : command(args.getFirst(), out);
    return only.map(List::of).map(CommandTree::of).orElseGet(() -> all(out)).run(args, out, err);
  }

  /** With all commands, those of the script among them. */
  static CommandTree all(PrintStream out) {
    List<Object> commands = new ArrayList<>();
    COMMANDS.forEach(name -> command(name, out).ifPresent(commands::add));
    commands.addAll(ShellCommands.specs());
    return CommandTree.of(commands);
  }

  private static Optional<Object> command(String name, PrintStream out) {
    return Optional.ofNullable(
        switch (name) {
          case "drill" -> new DrillCommand(out);
          case "simulate" -> new SimulateCommand(out);
          case "replay" -> new ReplayCommand(out);
          case "judge" -> JudgeMain.standard();
          case "explain" -> new ExplainMain(out);
          case "analyze" -> new AnalyzeMain(out);
          case "inspect" -> new InspectCommand(out, InstantSource.system());
          case "doctor" -> new DoctorCommand(out);
          case "list" -> new ListCommand(out);
          case "timeline" -> new TimelineCommand(out);
          case "approve" -> new ApproveCommand(out);
          case "release" -> new ReleaseCommand(out);
          case "report" -> new ReportCommand(out);
          case "notify-test" -> new NotifyTestCommand(out);
          case "completion" -> new CompletionCommand(() -> all(out), out);
          default -> null;
        });
  }
}
