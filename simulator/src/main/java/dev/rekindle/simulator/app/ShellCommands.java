package dev.rekindle.simulator.app;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** The commands that the script {@code rekindle} runs without a JVM: their names, to complete. */
public final class ShellCommands {
  public static final List<String> TESTBED =
      List.of(
          "drill",
          "up",
          "install",
          "kubeconfig",
          "kubectl",
          "load",
          "job",
          "inject",
          "signal",
          "freeze",
          "thaw",
          "scale",
          "storm",
          "upgrade",
          "status",
          "down");

  private ShellCommands() {}

  /** Their names and what they are for, for help and completion. */
  public static List<CommandSpec> specs() {
    CommandSpec fuzz = CommandSpec.create().name("fuzz");
    fuzz.usageMessage().description("Runs one reader of external input on generated inputs.");
    CommandSpec packaging = CommandSpec.create().name("package");
    packaging.usageMessage().description("All files of a release, from a clean checkout.");
    CommandSpec testbed = CommandSpec.create().name("testbed");
    testbed.usageMessage().description("A real cluster on this machine.");
    TESTBED.forEach(name -> testbed.addSubcommand(name, CommandSpec.create().name(name)));
    return List.of(fuzz, packaging, testbed);
  }
}
