package dev.rekindle.controller.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a drained job is to be resumed.
 *
 * @param recovery name of the recovery whose suspension is lifted
 * @param attempt attempt id for every template, {@code <recovery>-<n>}
 * @param excludedHostnames values of {@code kubernetes.io/hostname} the pods may not land on
 * @param avoidedHostnames values of {@code kubernetes.io/hostname} the pods should avoid
 * @param preferredTopology topology label to values that the pods should be near
 * @param plannedHostnames values of {@code kubernetes.io/hostname} that the pods should go to;
 *     empty where none are better than others
 * @param plannedForMaster whether the master alone should go there, and the others elsewhere
 * @param resumeFrom path of the pinned checkpoint, absent when the script decides by itself
 * @param resumeStep its step
 * @param resumeFormat name of its format; empty where it is not known
 * @param reason cause in one word, for the script
 */
public record ResumeOrder(
    String recovery,
    String attempt,
    List<String> excludedHostnames,
    List<String> avoidedHostnames,
    Map<String, List<String>> preferredTopology,
    List<String> plannedHostnames,
    boolean plannedForMaster,
    @Nullable String resumeFrom,
    @Nullable Long resumeStep,
    String resumeFormat,
    String reason) {
  /** One for which all ranks are alike. */
  public ResumeOrder(
      String recovery,
      String attempt,
      List<String> excludedHostnames,
      List<String> avoidedHostnames,
      Map<String, List<String>> preferredTopology,
      List<String> plannedHostnames,
      @Nullable String resumeFrom,
      @Nullable Long resumeStep,
      String resumeFormat,
      String reason) {
    this(
        recovery,
        attempt,
        excludedHostnames,
        avoidedHostnames,
        preferredTopology,
        plannedHostnames,
        false,
        resumeFrom,
        resumeStep,
        resumeFormat,
        reason);
  }

  public ResumeOrder {
    excludedHostnames = List.copyOf(excludedHostnames);
    avoidedHostnames = List.copyOf(avoidedHostnames);
    preferredTopology = Map.copyOf(preferredTopology);
    plannedHostnames = List.copyOf(plannedHostnames);
  }
}
