package dev.rekindle.controller.install;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.cli.TextTable;
import dev.rekindle.controller.cli.ListedRecovery;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What an installation leaves behind when it is removed.
 *
 * @param open recoveries that are not over: their jobs may be frozen or suspended, and stay so
 * @param fenced nodes that Rekindle has cordoned: they stay cordoned
 */
public record Removal(List<ListedRecovery> open, List<Fenced> fenced) {
  private static final int MOST = 50;

  public Removal {
    open =
        open.stream()
            .filter(ListedRecovery::open)
            .sorted(
                Comparator.comparing(ListedRecovery::namespace).thenComparing(ListedRecovery::name))
            .toList();
    fenced = fenced.stream().sorted(Comparator.comparing(Fenced::node)).toList();
  }

  /** A node with the reason of its fence. */
  public record Fenced(String node, String reason) {}

  /** Whether it must not go on. */
  public boolean refused() {
    return !open.isEmpty();
  }

  /** What stands against it, and what stays, a line each. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    if (refused()) {
      lines.add(
          "REFUSED: %d recoveries are open. Their jobs stay as they are, frozen or suspended."
              .formatted(open.size()));
      open.stream()
          .limit(MOST)
          .forEach(
              r ->
                  lines.add(
                      "  recovery %s/%s of job %s: %s"
                          .formatted(
                              r.namespace(),
                              r.name(),
                              r.spec().jobRef().name(),
                              r.phase().map(RecoveryPhase::word).orElse("new"))));
      more(lines, open.size());
      lines.add("Wait until they are over, or delete them. To remove it all the same:");
      lines.add("  helm uninstall RELEASE --no-hooks");
      lines.add(
          "Helm takes the release for uninstalling now. To keep it, REVISION as in helm history:");
      lines.add("  helm rollback RELEASE REVISION");
    }
    if (fenced.isEmpty()) {
      lines.add("No node is fenced.");
    } else {
      lines.add("%d nodes stay cordoned:".formatted(fenced.size()));
      fenced.stream().limit(MOST).forEach(f -> lines.add("  " + f.node() + ": " + f.reason()));
      more(lines, fenced.size());
      lines.add("One that is repaired is given back by: kubectl rekindle release NODE");
    }
    return lines.stream().map(TextTable::printable).toList();
  }

  private static void more(List<String> lines, int all) {
    if (all > MOST) {
      lines.add("  and %d more".formatted(all - MOST));
    }
  }
}
