package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.api.TrackerChange;
import dev.rekindle.api.TrackerResult;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the log of the pod that rewrites a tracker. Names in it are the tenant's, and bounded. */
public final class TrackerReport {
  private static final int MAX_LINE = 4 * 1024;
  private static final int MAX_TEXT = 256;

  private final KubernetesSerialization serialization;

  /** Reads JSON with the given serialization. */
  public TrackerReport(KubernetesSerialization serialization) {
    this.serialization = serialization;
  }

  /** What a line of the log says came of it; empty where none does. */
  public Optional<TrackerChange> of(String log) {
    return log.lines().flatMap(line -> parse(line).stream()).findFirst();
  }

  private Optional<TrackerChange> parse(String line) {
    if (line.length() > MAX_LINE || !line.startsWith("{") || !line.endsWith("}")) {
      return Optional.empty();
    }
    Map<?, ?> report;
    try {
      report = serialization.unmarshal(line, Map.class);
    } catch (IllegalArgumentException | KubernetesClientException notJson) {
      return Optional.empty();
    }
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

  private static String text(@Nullable Object value) {
    if (!(value instanceof String text)) {
      return "";
    }
    String bounded = text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text;
    return bounded.replaceAll("\\p{Cntrl}", " ");
  }
}
