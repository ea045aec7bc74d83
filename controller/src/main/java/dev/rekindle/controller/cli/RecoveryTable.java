package dev.rekindle.controller.cli;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.detect.policy.RecoveryLoss;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Recoveries as a table, a line each. */
public final class RecoveryTable {
  private static final double SECONDS_PER_HOUR = 3_600;

  private final boolean namespaces;
  private final boolean wide;

  /**
   * One in that form.
   *
   * @param namespaces whether the first column is the namespace
   * @param wide whether the restart, the steps, the loss and the message have columns
   */
  public RecoveryTable(boolean namespaces, boolean wide) {
    this.namespaces = namespaces;
    this.wide = wide;
  }

  /** The newest last, as the API server does not order them. */
  public String of(List<ListedRecovery> recoveries, Instant now) {
    var table = new Table(head());
    recoveries.stream()
        .sorted(
            Comparator.comparing(RecoveryTable::time)
                .thenComparing(ListedRecovery::namespace)
                .thenComparing(ListedRecovery::name))
        .forEach(recovery -> table.add(row(recovery, now)));
    return table.text();
  }

  private List<String> head() {
    List<String> head = new ArrayList<>();
    if (namespaces) {
      head.add("NAMESPACE");
    }
    head.addAll(List.of("NAME", "JOB", "PHASE", "CAUSE", "NODES", "DOWNTIME", "AGE"));
    if (wide) {
      head.addAll(List.of("RESTART", "STEP", "GPU-HOURS", "MESSAGE"));
    }
    return head;
  }

  private List<String> row(ListedRecovery recovery, Instant now) {
    var status = Optional.ofNullable(recovery.status());
    Optional<Plan> plan = status.map(RecoveryStatus::plan);
    Optional<Cause> cause = status.map(RecoveryStatus::cause);
    Optional<Outcome> outcome = status.map(RecoveryStatus::outcome);
    List<String> row = new ArrayList<>();
    if (namespaces) {
      row.add(recovery.namespace());
    }
    row.add(recovery.name());
    row.add(recovery.spec().job());
    row.add(recovery.phase().map(RecoveryPhase::word).orElse(""));
    row.add(cause.map(Cause::reason).orElse(""));
    row.add(plan.map(p -> String.join(",", p.excludedNodes())).orElse(""));
    row.add(outcome.map(Outcome::downtimeSeconds).map(RecoveryTable::seconds).orElse(""));
    row.add(age(recovery.created(), now));
    if (wide) {
      row.add(plan.map(Plan::restart).map(RestartWay::word).orElse(""));
      row.add(outcome.map(Outcome::resumedStep).map(String::valueOf).orElse(""));
      row.add(outcome.flatMap(RecoveryTable::hours).orElse(""));
      row.add(cause.map(Cause::message).orElse(""));
    }
    return row;
  }

  private static Optional<String> hours(Outcome outcome) {
    return RecoveryLoss.lost(outcome)
        .map(seconds -> String.format(Locale.ROOT, "%.2f", seconds / SECONDS_PER_HOUR));
  }

  static String seconds(double seconds) {
    return String.format(Locale.ROOT, "%.1fs", seconds);
  }

  private static Instant time(ListedRecovery recovery) {
    return Optional.ofNullable(recovery.created()).orElse(Instant.MAX);
  }

  /** As kubectl has it, in one unit; a clock behind that of the API server counts as 0 s. */
  static String age(@Nullable Instant created, Instant now) {
    if (created == null) {
      return "<unknown>";
    }
    long seconds = Math.max(0, Duration.between(created, now).toSeconds());
    Duration age = Duration.ofSeconds(seconds);
    if (age.toDays() >= 2) {
      return age.toDays() + "d";
    }
    if (age.toHours() >= 2) {
      return age.toHours() + "h";
    }
    return age.toMinutes() >= 2 ? age.toMinutes() + "m" : seconds + "s";
  }
}
