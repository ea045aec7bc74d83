package dev.rekindle.controller.kubernetes.convert;

import static dev.rekindle.controller.kubernetes.convert.JsonLine.text;

import dev.rekindle.controller.model.Inspection;
import dev.rekindle.detect.ApiTime;
import dev.rekindle.detect.checkpoint.Formats;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the log of the checkpoint inspector. File names in it are the tenant's, so nothing is
 * believed: lines, entries and texts are bounded, and a path counts only if it is in the directory
 * that was asked about.
 */
public final class InspectorReport {
  /** Lines that are requested: a JVM warning may come after the newest report. */
  public static final int TAIL_LINES = 4;

  private static final int MAX_LINE = 16 * 1024;

  /** Bytes that are requested: so many lines of the inspector, which keeps them shorter. */
  public static final int TAIL_BYTES = TAIL_LINES * MAX_LINE;

  /** Parts of several ranks are checkpoints here. */
  private static final int MAX_CHECKPOINTS = 60;

  private static final int MAX_PATH = 1_024;

  private final KubernetesSerialization serialization;

  /** Reads JSON with the given serialization. */
  public InspectorReport(KubernetesSerialization serialization) {
    this.serialization = serialization;
  }

  /** The newest complete report in the log's tail. */
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
    Map<?, ?> report = JsonLine.parse(serialization, line, MAX_LINE).orElse(Map.of());
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
            entry.get("modified") instanceof String time ? ApiTime.parse(time) : null,
            verdict,
            text(entry.get("level")),
            text(entry.get("reason")),
            Formats.isKnown(text(entry.get("format"))) ? text(entry.get("format")) : "",
            entry.get("ranks") instanceof Number ranks ? Math.max(0, ranks.intValue()) : 0));
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
}
