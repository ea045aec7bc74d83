package dev.rekindle.detect.node;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Taint;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads from its marks who else is at work on a node. A mark that only announces, such as a taint
 * that asks the scheduler to prefer others, does not count; nor does a label that says that the
 * work is done.
 */
public final class NodeOwners {
  private static final int MAX_VALUE = 64;

  /**
   * @param key taint key; one that ends in {@code *} stands for all that begin so
   * @param who whose it is
   */
  private record Mark(String key, String who) {
    boolean fits(String other) {
      return key.endsWith("*")
          ? other.startsWith(key.substring(0, key.length() - 1))
          : other.equals(key);
    }
  }

  /**
   * @param key label or annotation
   * @param busy values that say so; empty when any value does that is not {@code false}
   */
  private record Tag(String key, String who, Set<String> busy) {
    boolean says(@Nullable String value) {
      if (value == null) {
        return false;
      }
      return busy.isEmpty()
          ? !value.isEmpty() && !value.equalsIgnoreCase("false")
          : busy.contains(value);
    }
  }

  private static final List<Mark> TAINTS =
      List.of(
          new Mark("nvidia.com/gpu-error", "NVSentinel"),
          new Mark("nvidia.com/gpu-xid-error", "NVSentinel"),
          new Mark("nvidia.com/gpu-nvlink-error", "NVSentinel"),
          new Mark("nvidia.com/syslog-xid-error", "NVSentinel"),
          new Mark("karpenter.sh/disrupted", "Karpenter"),
          new Mark("karpenter.sh/disruption", "Karpenter"),
          new Mark("ToBeDeletedByClusterAutoscaler", "the cluster autoscaler"),
          new Mark("cloud.google.com/impending-node-termination", "GKE"),
          new Mark("aws-node-termination-handler/*", "the AWS termination handler"),
          new Mark("medik8s.io/*", "medik8s"),
          new Mark("node.kubernetes.io/out-of-service", "a person or a shutdown controller"));

  /** From the cordon on; {@code upgrade-required} only waits for its turn. */
  private static final Set<String> UPGRADING =
      Set.of(
          "cordon-required",
          "wait-for-jobs-required",
          "pod-deletion-required",
          "drain-required",
          "pod-restart-required",
          "validation-required",
          "uncordon-required",
          "upgrade-failed");

  private static final List<Tag> LABELS =
      List.of(
          new Tag(
              "dgxc.nvidia.com/nvsentinel-state",
              "NVSentinel",
              Set.of(
                  "quarantined",
                  "draining",
                  "drain-succeeded",
                  "drain-failed",
                  "remediating",
                  "remediation-failed")),
          new Tag("nvidia.com/gpu-driver-upgrade-state", "the GPU operator's upgrade", UPGRADING),
          new Tag(
              "nvidia.com/ofed-driver-upgrade-state", "the network operator's upgrade", UPGRADING),
          new Tag("nvidia.com/mig.config.state", "the MIG manager", Set.of("pending", "rebooting")),
          new Tag(
              "sagemaker.amazonaws.com/node-health-status",
              "HyperPod",
              Set.of(
                  "Unschedulable",
                  "UnschedulablePendingReplacement",
                  "UnschedulablePendingReboot")),
          new Tag("rekindle.dev/maintenance", "a person", Set.of()));

  private static final List<Tag> ANNOTATIONS =
      List.of(
          new Tag("quarantineHealthEvent", "NVSentinel", Set.of()),
          new Tag("weave.works/kured-reboot-in-progress", "kured", Set.of()),
          new Tag("rekindle.dev/maintenance", "a person", Set.of()));

  private NodeOwners() {}

  /** Who is at work on the node; a taint counts before a label. */
  public static Optional<NodeOwner> read(Node node) {
    List<Taint> taints =
        node.getSpec() == null || node.getSpec().getTaints() == null
            ? List.of()
            : node.getSpec().getTaints();
    return byTaint(taints)
        .or(() -> byTag(LABELS, "label", node.getMetadata().getLabels()))
        .or(() -> byTag(ANNOTATIONS, "annotation", node.getMetadata().getAnnotations()))
        .or(() -> byCondition(node));
  }

  private static Optional<NodeOwner> byTaint(List<Taint> taints) {
    return taints.stream()
        .filter(Objects::nonNull)
        .filter(t -> t.getKey() != null && !"PreferNoSchedule".equals(t.getEffect()))
        .flatMap(
            t ->
                TAINTS.stream()
                    .filter(mark -> mark.fits(t.getKey()))
                    .map(mark -> new NodeOwner(mark.who(), "taint " + cut(t.getKey()), true)))
        .findFirst();
  }

  private static Optional<NodeOwner> byTag(
      List<Tag> tags, String kind, @Nullable Map<String, String> marks) {
    return marks == null
        ? Optional.empty()
        : tags.stream()
            .filter(tag -> tag.says(marks.get(tag.key())))
            .map(
                tag ->
                    new NodeOwner(
                        tag.who(),
                        "%s %s=%s"
                            .formatted(
                                kind,
                                tag.key(),
                                kind.equals("label") ? cut(marks.get(tag.key())) : "..."),
                        false))
            .findFirst();
  }

  /** Draino says what it is about to do by a condition. */
  private static Optional<NodeOwner> byCondition(Node node) {
    if (node.getStatus() == null || node.getStatus().getConditions() == null) {
      return Optional.empty();
    }
    return node.getStatus().getConditions().stream()
        .filter(Objects::nonNull)
        .filter(c -> "DrainScheduled".equals(c.getType()) && "True".equals(c.getStatus()))
        .map(_ -> new NodeOwner("draino", "condition DrainScheduled", false))
        .findFirst();
  }

  private static String cut(@Nullable String text) {
    String whole = Objects.requireNonNullElse(text, "");
    return whole.length() <= MAX_VALUE ? whole : whole.substring(0, MAX_VALUE);
  }
}
