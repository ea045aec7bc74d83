package dev.rekindle.testbed;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** {@code kubectl rekindle} as administrator of the testbed. */
final class CommandLine {
  /** The first one of a checkout builds the simulator. */
  private static final Duration LIMIT = Duration.ofMinutes(4);

  private CommandLine() {}

  /**
   * Runs a command.
   *
   * @return what it printed
   * @throws AssertionError when its exit code is not 0
   */
  static String rekindle(String... words) {
    List<String> command =
        new ArrayList<>(
            List.of(
                "env",
                "KUBECONFIG=" + Testbed.RUN.resolve("kube/admin"),
                Testbed.ROOT.resolve("kubectl-rekindle").toString()));
    command.addAll(List.of(words));
    return Command.run(LIMIT, command.toArray(String[]::new));
  }
}
