package dev.rekindle.testbed;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The commands that README.md shows for a cluster, as {@code .ci/readme} finds them. */
final class Readme {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private Readme() {}

  /** Those that begin with the name of a program, in the order of the text. */
  static List<String> commands(String program) {
    String all = Command.run(LIMIT, Testbed.ROOT.resolve(".ci/readme").toString());
    return all.lines().filter(c -> c.startsWith(program + " ")).toList();
  }

  /**
   * Runs one, and gives what it prints.
   *
   * @param names what stands in the README for something of this cluster, and what it is here
   * @throws AssertionError with all that it printed, when it fails
   */
  static String run(String command, Map<String, String> names) {
    String here = command;
    for (Map.Entry<String, String> name : names.entrySet()) {
      here = here.replace(name.getKey(), name.getValue());
    }
    // As the administrator of the testbed; an installation is only requested, as one is there.
    String script =
        """
        set -euo pipefail
        . testbed/lib.sh
        kubectl() { k --namespace %s "$@"; }
        helm() { "$BIN/helm" --kubeconfig "$ADMIN" "$@" --dry-run=server; }
        %s
        """
            .formatted(Testbed.NAMESPACE, here);
    return Command.run(LIMIT, "bash", "-c", script);
  }
}
