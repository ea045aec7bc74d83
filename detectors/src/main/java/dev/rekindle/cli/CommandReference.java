package dev.rekindle.cli;

import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** All commands as a page in Markdown: what {@code --help} prints of each. */
final class CommandReference {
  private static final int WIDTH = 100;

  private CommandReference() {}

  /** In the order in which the commands were added. */
  static String of(CommandLine root) {
    var page = new StringBuilder();
    root.getSubcommands().forEach((name, command) -> page.append(section(name, command)));
    return page.toString();
  }

  private static String section(String name, CommandLine command) {
    var text = new StringBuilder("\n## ").append(name).append("\n\n");
    if (command.getCommandSpec().userObject() == null) {
      // The script runs it without a JVM, and has its help.
      for (String line : command.getCommandSpec().usageMessage().description()) {
        text.append(line).append('\n');
      }
      return text.append("Run by the script: `./rekindle --help` has its options.\n").toString();
    }
    command.setUsageHelpWidth(WIDTH);
    return text.append("```text\n")
        .append(command.getUsageMessage(Ansi.OFF).strip())
        .append("\n```\n")
        .toString();
  }
}
