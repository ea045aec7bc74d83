package dev.rekindle.controller.cli;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.cli.TextTable;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What a recovery did: a line on it, then each entry of its timeline with the seconds since. */
public final class TimelineText {
  private static final double MILLIS = 1_000;

  private TimelineText() {}

  /** That of a recovery; it may have none yet. */
  public static String of(ListedRecovery recovery) {
    var text = new StringBuilder();
    var status = Optional.ofNullable(recovery.status());
    line(text, "Recovery", recovery.namespace() + "/" + recovery.name());
    line(text, "Job", recovery.spec().job());
    line(text, "Phase", recovery.phase().map(RecoveryPhase::word).orElse("not started"));
    status
        .map(RecoveryStatus::cause)
        .ifPresent(cause -> line(text, "Cause", cause.reason() + ": " + cause.message()));
    status.map(RecoveryStatus::plan).ifPresent(plan -> restart(text, plan));
    status
        .map(RecoveryStatus::outcome)
        .map(outcome -> outcome.downtimeSeconds())
        .ifPresent(seconds -> line(text, "Downtime", RecoveryTable.seconds(seconds)));
    status.stream()
        .flatMap(s -> s.conditions().stream())
        .filter(c -> "RdmaRestored".equals(c.getType()))
        .forEach(c -> line(text, "RDMA", "%s, %s".formatted(c.getStatus(), said(c))));
    text.append('\n');
    return text.append(table(recovery, status)).toString();
  }

  /** {@code rekindle explain} has the reason. */
  private static String said(Condition condition) {
    return condition.getReason() + ": " + condition.getMessage();
  }

  private static void restart(StringBuilder text, Plan plan) {
    RestartWay way = plan.restart();
    if (way != null) {
      line(text, "Restart", way.word() + ": " + plan.restartReason());
    }
  }

  private static String table(ListedRecovery recovery, Optional<RecoveryStatus> status) {
    List<TimelineEntry> entries = status.map(RecoveryStatus::timeline).orElse(List.of());
    if (entries.isEmpty()) {
      return "Nothing has happened yet.\n";
    }
    Instant began =
        Optional.ofNullable(recovery.spec().detectedAt()).orElse(entries.getFirst().time());
    var table = new Table(List.of("TIME", "SINCE", "PHASE", "DETAIL"));
    for (TimelineEntry entry : entries) {
      table.add(
          List.of(
              entry.time().truncatedTo(ChronoUnit.SECONDS).toString(),
              since(began, entry.time()),
              entry.phase().word(),
              entry.detail()));
    }
    return table.text();
  }

  private static String since(Instant began, Instant time) {
    double seconds = Duration.between(began, time).toMillis() / MILLIS;
    return String.format(Locale.ROOT, "%+.1fs", seconds);
  }

  private static void line(StringBuilder text, String name, String value) {
    text.append("%-10s%s".formatted(name + ":", TextTable.printable(value))).append('\n');
  }
}
