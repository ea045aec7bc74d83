package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Inspection;
import dev.rekindle.detect.checkpoint.Formats;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log of the checkpoint inspector. File names in it are the tenant's, so nothing is
 * believed: lines, entries and texts are bounded, and a path counts only if it lies in the
 * directory that was asked about.
 */
public final class InspectorReport {
  /** Lines that are asked for: a JVM warning may come after the newest report. */
  public static final int TAIL_LINES = 4;

  private static final int MAX_LINE = 16 * 1024;

  /** Bytes that are asked for: so many lines of the inspector, which keeps them shorter. */
  public static final int TAIL_BYTES = TAIL_LINES * MAX_LINE;

  /** Parts of several ranks are checkpoints here. */
  private static final int MAX_CHECKPOINTS = 60;

  private static final int MAX_PATH = 1_024;
  private static final int MAX_TEXT = 256;

  private final KubernetesSerialization serialization;

  /** Reads JSON with the given serialization. */
  public InspectorReport(KubernetesSerialization serialization) {
    this.serialization = serialization;
  }

  /** The newest whole report in the log's tail. */
  public Optional<Inspection.Report> newest(String tail, String directory) {
    List<String> lines = tail.lines().toList();
    for (int i = lines.size() - 1; i >= 0; i--) {
      Optional<Inspection.Report> report = parse(lines.get(i), directory);
      if (report.isPresent()) {
        return report;
      }
    }
    return Optional.empty();
  }

  private Optional<Inspection.Report> parse(String line, String directory) {
    if (line.length() > MAX_LINE || !line.startsWith("{") || !line.endsWith("}")) {
      return Optional.empty();
    }
    Map<?, ?> report;
    try {
      report = serialization.unmarshal(line, Map.class);
    } catch (IllegalArgumentException | KubernetesClientException notJson) {
      return Optional.empty();
    }
    if (!(report.get("scan") instanceof Number scan)
        || scan.longValue() < 1
        || !directory.equals(report.get("dir"))
        || !(report.get("checkpoints") instanceof List<?> entries)) {
      return Optional.empty();
    }
    List<Inspection.Checkpoint> checkpoints = new ArrayList<>();
    for (Object entry : entries.subList(0, Math.min(entries.size(), MAX_CHECKPOINTS))) {
      if (entry instanceof Map<?, ?> map) {
        checkpoint(map, directory).ifPresent(checkpoints::add);
      }
    }
    checkpoints.sort(Comparator.comparingLong(Inspection.Checkpoint::step).reversed());
    return Optional.of(
        new Inspection.Report(scan.longValue(), checkpoints, text(report.get("error"))));
  }

  private static Optional<Inspection.Checkpoint> checkpoint(Map<?, ?> entry, String directory) {
    if (!(entry.get("path") instanceof String path)
        || !inside(path, directory)
        || !(entry.get("step") instanceof Number step)
        || step.longValue() < 0
        || !(entry.get("verdict") instanceof String verdict)) {
      return Optional.empty();
    }
    return Optional.of(
        new Inspection.Checkpoint(
            path,
            step.longValue(),
            entry.get("bytes") instanceof Number bytes ? Math.max(0, bytes.longValue()) : 0,
            time(entry.get("modified")),
            verdict,
            text(entry.get("level")),
            text(entry.get("reason")),
            Formats.isKnown(text(entry.get("format"))) ? text(entry.get("format")) : ""));
  }

  private static boolean inside(String path, String directory) {
    String prefix = directory.equals("/") ? "/" : directory + "/";
    if (path.length() > MAX_PATH
        || !path.startsWith(prefix)
        || path.chars().anyMatch(Character::isISOControl)) {
      return false;
    }
    for (String segment : path.substring(prefix.length()).split("/", -1)) {
      if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
        return false;
      }
    }
    return true;
  }

  private static String text(@Nullable Object value) {
    if (!(value instanceof String text)) {
      return "";
    }
    String bounded = text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text;
    return bounded.chars().anyMatch(Character::isISOControl)
        ? bounded.replaceAll("\\p{Cntrl}", " ")
        : bounded;
  }

  private static @Nullable Instant time(@Nullable Object value) {
    if (!(value instanceof String text)) {
      return null;
    }
    try {
      return Instant.parse(text);
    } catch (DateTimeException notATime) {
      return null;
    }
  }
}
