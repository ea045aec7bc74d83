package dev.rekindle.controller.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * One line of a report.
 *
 * @param key what it stands for
 * @param recoveries how many
 * @param recovered how many of them ended with a gang that trains
 * @param gpuHours lost
 * @param money what these cost, as far as they have a price
 * @param unpricedGpuHours those that have none
 * @param medianDowntime in seconds; empty where none was measured
 * @param p95Downtime the same that 95 % do not exceed
 * @param ettr productive time by all time of its jobs; empty where it is not known
 */
public record ReportRow(
    String key,
    int recoveries,
    int recovered,
    double gpuHours,
    double money,
    double unpricedGpuHours,
    OptionalDouble medianDowntime,
    OptionalDouble p95Downtime,
    OptionalDouble ettr) {
  static final Comparator<ReportRow> DEAREST_FIRST =
      Comparator.comparingDouble(ReportRow::gpuHours)
          .reversed()
          .thenComparing(Comparator.comparingInt(ReportRow::recoveries).reversed())
          .thenComparing(ReportRow::key);

  /** Names of the columns; money only where there is a price. */
  static List<String> head(Report report) {
    List<String> head =
        new ArrayList<>(
            List.of(
                report.by().name().toUpperCase(Locale.ROOT),
                "RECOVERIES",
                "RECOVERED",
                "GPU-HOURS"));
    if (report.prices().any()) {
      head.add(report.prices().currency());
    }
    head.addAll(List.of("MEDIAN", "P95"));
    if (report.ofJobs()) {
      head.add("ETTR");
    }
    return head;
  }

  /** A cell for each column. */
  List<String> cells(Report report) {
    List<String> cells = new ArrayList<>();
    cells.add(key);
    cells.add(String.valueOf(recoveries));
    cells.add(String.valueOf(recovered));
    cells.add(decimal(gpuHours));
    if (report.prices().any()) {
      cells.add(decimal(money));
    }
    cells.add(seconds(medianDowntime));
    cells.add(seconds(p95Downtime));
    if (report.ofJobs()) {
      cells.add(ettr.isPresent() ? String.format(Locale.ROOT, "%.3f", ettr.getAsDouble()) : "");
    }
    return cells;
  }

  /** The same as an object that JSON is written from. */
  Object object(Report report) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("key", key);
    row.put("recoveries", recoveries);
    row.put("recovered", recovered);
    row.put("gpuHours", gpuHours);
    if (report.prices().any()) {
      row.put("money", money);
      row.put("unpricedGpuHours", unpricedGpuHours);
    }
    medianDowntime.ifPresent(value -> row.put("medianDowntimeSeconds", value));
    p95Downtime.ifPresent(value -> row.put("p95DowntimeSeconds", value));
    if (report.ofJobs()) {
      ettr.ifPresent(value -> row.put("ettr", value));
    }
    return row;
  }

  private static String decimal(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  private static String seconds(OptionalDouble value) {
    return value.isPresent() ? RecoveryTable.seconds(value.getAsDouble()) : "";
  }
}
