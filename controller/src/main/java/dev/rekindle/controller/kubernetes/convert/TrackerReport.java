package dev.rekindle.controller.kubernetes.convert;

import static dev.rekindle.controller.kubernetes.convert.JsonLine.text;

import dev.rekindle.api.TrackerChange;
import dev.rekindle.api.TrackerResult;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import java.util.Optional;

/** Reads the log of the pod that rewrites a tracker. Names in it are the tenant's, and bounded. */
public final class TrackerReport {
  private static final int MAX_LINE = 4 * 1024;

  private final KubernetesSerialization serialization;

  /** Reads JSON with the given serialization. */
  public TrackerReport(KubernetesSerialization serialization) {
    this.serialization = serialization;
  }

  /** What a line of the log says came of it; empty where none does. */
  public Optional<TrackerChange> of(String log) {
    return log.lines()
        .flatMap(line -> JsonLine.parse(serialization, line, MAX_LINE).stream())
        .flatMap(report -> change(report).stream())
        .findFirst();
  }

  private static Optional<TrackerChange> change(Map<?, ?> report) {
    TrackerResult result =
        switch (text(report.get("tracker"))) {
          case "REWRITTEN" -> TrackerResult.REWRITTEN;
          case "UNCHANGED" -> TrackerResult.UNCHANGED;
          case "REFUSED" -> TrackerResult.REFUSED;
          default -> null;
        };
    return result == null
        ? Optional.empty()
        : Optional.of(
            new TrackerChange(
                result,
                text(report.get("file")),
                text(report.get("before")),
                text(report.get("now")),
                text(report.get("kept")),
                text(report.get("reason"))));
  }
}
