package dev.rekindle.controller.cli;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.detect.policy.GpuPrices;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * What failures have cost, added up over Recoveries. Pure.
 *
 * @param by what a row stands for
 * @param from Recoveries from then on
 * @param until when it was made
 * @param prices what a GPU costs
 * @param rows the dearest first
 * @param total over all of them; a Recovery that is in several rows counts once
 * @param notes what the figures leave out, a sentence each
 */
public record Report(
    By by,
    Instant from,
    Instant until,
    GpuPrices prices,
    List<ReportRow> rows,
    ReportRow total,
    List<String> notes) {
  /** What a row stands for. */
  public enum By {
    /** A job, by namespace and name. */
    job,
    /** A namespace. */
    namespace,
    /** The reason of the cause. */
    cause,
    /** A node that a cause names as faulty or silent. */
    node
  }

  static final String KEPT =
      "Recoveries that were deleted are not in it: of a job the newest 20 are kept, of jobs that"
          + " are gone as many and as long as the chart's controller.history says";

  private static final String NONE = "(none)";

  public Report {
    rows = List.copyOf(rows);
    notes = List.copyOf(notes);
  }

  /**
   * Adds up.
   *
   * @param all in any order
   * @param products the GPU model of each node that is known
   */
  public static Report of(
      List<ListedRecovery> all,
      By by,
      Instant from,
      Instant until,
      GpuPrices prices,
      Map<String, String> products) {
    List<ReportedRecovery> within =
        all.stream().map(ReportedRecovery::of).filter(r -> isSince(r, from)).toList();
    Map<String, ReportSum> sums = new TreeMap<>();
    ReportSum total = new ReportSum("TOTAL");
    for (ReportedRecovery recovery : within) {
      OptionalDouble price = prices.ofGang(recovery.gang(), products);
      total.add(recovery, 1, price);
      List<String> keys = keys(recovery, by);
      for (String key : keys) {
        sums.computeIfAbsent(key, ReportSum::new).add(recovery, 1.0 / keys.size(), price);
      }
    }
    return new Report(
        by,
        from,
        until,
        prices,
        sums.values().stream().map(ReportSum::row).sorted(ReportRow.DEAREST_FIRST).toList(),
        total.row(),
        notes(within, by, total.row(), prices));
  }

  private static boolean isSince(ReportedRecovery recovery, Instant from) {
    Instant at = recovery.at();
    return at == null || !at.isBefore(from);
  }

  private static List<String> keys(ReportedRecovery recovery, By by) {
    return switch (by) {
      case job -> List.of(recovery.namespace() + "/" + recovery.job());
      case namespace -> List.of(recovery.namespace());
      case cause -> List.of(recovery.cause().isEmpty() ? NONE : recovery.cause());
      case node -> recovery.blamed().isEmpty() ? List.of(NONE) : recovery.blamed();
    };
  }

  private static List<String> notes(
      List<ReportedRecovery> within, By by, ReportRow total, GpuPrices prices) {
    List<String> notes = new ArrayList<>();
    notes.add(KEPT);
    counted(notes, within, ReportedRecovery::open, "not over: its loss is not in it yet");
    counted(
        notes,
        within,
        r -> !r.open() && r.gpuSeconds() == null,
        "over without figures (given up, cancelled, or of a job without GPUs seen)");
    counted(
        notes,
        within,
        r -> r.times() > 1,
        "of a gang that kubelets brought back again and again: its newest loss counts for each"
            + " time");
    if (by == By.node && within.stream().anyMatch(r -> r.blamed().size() > 1)) {
      notes.add(
          "A Recovery that blames several nodes counts at each, and its loss is shared evenly");
    }
    if (prices.any() && total.unpricedGpuHours() > 0) {
      notes.add(
          String.format(
              Locale.ROOT,
              "%.2f GPU-hours have no price: set cost.pricePerGpuHour in RecoveryPolicy default",
              total.unpricedGpuHours()));
    }
    return notes;
  }

  private static void counted(
      List<String> notes,
      List<ReportedRecovery> within,
      Predicate<ReportedRecovery> which,
      String what) {
    long count = within.stream().filter(which).count();
    if (count > 0) {
      notes.add("%d of %d is %s".formatted(count, within.size(), what));
    }
  }

  /** The same with more notes. */
  public Report with(List<String> more) {
    List<String> all = new ArrayList<>(notes);
    all.addAll(more);
    return new Report(by, from, until, prices, rows, total, all);
  }

  /** Whether rows stand for jobs, so that the time of their training can be added up. */
  boolean ofJobs() {
    return by == By.job || by == By.namespace;
  }

  /** The same as an object that JSON is written from. */
  public Object object() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("from", from.toString());
    all.put("until", until.toString());
    all.put("by", by.name());
    if (prices.any()) {
      all.put("currency", prices.currency());
    }
    all.put("rows", rows.stream().map(r -> r.object(this)).toList());
    all.put("total", total.object(this));
    all.put("notes", notes);
    return all;
  }

  /** The phases that end a recovery well. */
  static boolean isGood(ReportedRecovery recovery) {
    return recovery.phase() == RecoveryPhase.RECOVERED;
  }
}
