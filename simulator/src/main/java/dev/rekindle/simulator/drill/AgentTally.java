package dev.rekindle.simulator.drill;

import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;

/** Counts what agents confirm of a gang that is restarted in place, and says so at last. */
final class AgentTally {
  private long frozen;
  private long restarted;
  private Instant changed = Instant.MAX;

  /** What to say of what they report, if anything: once no report has come in for a while. */
  Optional<String> observe(Instant now, Collection<RestartReportSpec> reports) {
    long nowFrozen = count(reports, State.FROZEN);
    long nowRestarted = count(reports, State.RESTARTED);
    if (nowFrozen > frozen || nowRestarted > restarted) {
      changed = now;
    }
    frozen = nowFrozen;
    restarted = nowRestarted;
    if (changed.isAfter(now) || now.isBefore(changed.plus(PodTally.TOGETHER))) {
      return Optional.empty();
    }
    changed = Instant.MAX;
    return restarted > 0
        ? Optional.of("agents have seen %d containers start again in place".formatted(restarted))
        : frozen > 0
            ? Optional.of("agents keep %d containers frozen".formatted(frozen))
            : Optional.empty();
  }

  private static long count(Collection<RestartReportSpec> reports, State state) {
    return reports.stream()
        .flatMap(report -> report.pods().stream())
        .map(PodRestart::state)
        .filter(state::equals)
        .count();
  }
}
