package dev.rekindle.simulator;

import dev.rekindle.simulator.chaos.SimulateCommand;
import dev.rekindle.simulator.drill.DrillCommand;
import dev.rekindle.simulator.replay.ReplayCommand;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What {@code ./rekindle drill}, {@code simulate} and {@code replay} start. */
public final class Main {
  private Main() {}

  /** The command comes first, then its arguments. */
  public static void main(String[] args) {
    PrintStream out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    int code = run(List.of(args), out);
    out.flush();
    System.exit(code);
  }

  static int run(List<String> args, PrintStream out) {
    String command = args.isEmpty() ? "" : args.getFirst();
    List<String> rest = args.isEmpty() ? args : args.subList(1, args.size());
    return switch (command) {
      case "drill" -> DrillCommand.run(rest, out);
      case "simulate" -> SimulateCommand.run(rest, out);
      case "replay" -> ReplayCommand.run(rest, out);
      default -> {
        System.err.println("rekindle: the simulator does not know '" + command + "'");
        yield 2;
      }
    };
  }
}
