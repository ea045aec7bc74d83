package dev.rekindle.simulator.app;

import dev.rekindle.cli.CommandTree;
import java.io.PrintStream;
import java.util.function.Supplier;
import picocli.CommandLine.Command;

/** {@code rekindle completion}. */
@Command(
    name = "completion",
    description = "Prints a script that completes commands and options, for bash and zsh.",
    footer = {"In ~/.bashrc:", "  source <(rekindle completion)"})
public final class CompletionCommand implements Runnable {
  private final Supplier<CommandTree> commands;
  private final PrintStream out;

  /** Completes the given commands, for bash and zsh. */
  public CompletionCommand(Supplier<CommandTree> commands, PrintStream out) {
    this.commands = commands;
    this.out = out;
  }

  @Override
  public void run() {
    out.print(commands.get().completion());
  }
}
