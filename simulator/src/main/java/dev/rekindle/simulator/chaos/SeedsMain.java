package dev.rekindle.simulator.chaos;

import dev.rekindle.cli.CommandTree;
import java.io.PrintStream;
import java.util.List;

/** The process that {@link OwnProcess} starts: {@code simulate}, and no other command. */
public final class SeedsMain {
  private SeedsMain() {}

  /** Takes the arguments of {@code rekindle}, {@code simulate} first. */
  public static void main(String[] args) {
    PrintStream out = CommandTree.standardOutput();
    int code =
        CommandTree.of(List.of(new SimulateCommand(out))).run(List.of(args), out, System.err);
    out.flush();
    System.exit(code);
  }
}
