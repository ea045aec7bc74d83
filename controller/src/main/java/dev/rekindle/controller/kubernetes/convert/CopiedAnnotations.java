package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Annotations;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Annotations that Rekindle set on another job: a copy by {@code kubectl get -o yaml}, renamed and
 * applied, carries the attempt, the suspension and the checkpoint of the original. They count only
 * if {@link Annotations#JOB_UID} is the UID of the job that they are on; the others are removed
 * with the next write.
 */
final class CopiedAnnotations {
  private static final List<String> OF = List.of(Annotations.JOB_UID, Annotations.FORMER_JOB_UID);

  private static final List<String> OF_JOBS =
      List.of(
          Annotations.SUSPENDED_BY,
          Annotations.EXCLUDED_NODES,
          Annotations.AVOIDED_NODES,
          Annotations.PREFERRED_TOPOLOGY,
          Annotations.PLANNED_NODES,
          Annotations.PLANNED_FOR);

  private static final List<String> OF_TEMPLATES =
      List.of(
          Annotations.ATTEMPT,
          Annotations.RESUME_FROM,
          Annotations.RESUME_STEP,
          Annotations.RESUME_FORMAT,
          Annotations.RESUME_ATTEMPT,
          Annotations.RESUME_REASON);

  private CopiedAnnotations() {}

  /** Whether ours among the annotations were set on the job of that UID. */
  static boolean areOf(String uid, Map<String, ?> annotations) {
    Object of = annotations.get(Annotations.JOB_UID);
    return !uid.isEmpty()
        && uid.equals(of == null ? annotations.get(Annotations.FORMER_JOB_UID) : of);
  }

  /** The names of the annotations that do not count, sorted. */
  static List<String> names(
      String uid, Map<String, String> job, List<Map<String, String>> templates) {
    TreeSet<String> names = new TreeSet<>();
    add(names, uid, job, OF_JOBS);
    templates.forEach(template -> add(names, uid, template, OF_TEMPLATES));
    return List.copyOf(names);
  }

  private static void add(
      Set<String> names, String uid, Map<String, String> annotations, List<String> ours) {
    if (!areOf(uid, annotations)) {
      ours.stream()
          .filter(name -> !annotations.getOrDefault(name, "").isEmpty())
          .forEach(names::add);
    }
  }

  /** Says which job the annotations are of, if there are any; removes that otherwise. */
  static void sign(Map<String, @Nullable Object> annotations, @Nullable Object uid) {
    if (OF_JOBS.stream().anyMatch(annotations::containsKey)) {
      setJob(annotations, uid);
    } else {
      annotations.keySet().removeAll(OF);
    }
  }

  /** Says that they are of the job with that UID, also to an earlier release after a rollback. */
  static void setJob(Map<String, @Nullable Object> annotations, @Nullable Object uid) {
    OF.forEach(name -> annotations.put(name, uid));
  }

  /** Removes them from a whole job, in place. */
  static void remove(Map<String, @Nullable Object> job) {
    Map<String, @Nullable Object> metadata = JsonTree.child(job, "metadata");
    String uid = metadata.get("uid") instanceof String text ? text : "";
    Map<String, @Nullable Object> annotations = JsonTree.child(metadata, "annotations");
    boolean ofJob = areOf(uid, annotations);
    AffinityPatch placed = AffinityPatch.remembered(annotations);
    if (!ofJob) {
      annotations.keySet().removeAll(OF_JOBS);
      annotations.keySet().removeAll(OF);
    }
    JsonTree.prune(metadata, "annotations");
    for (Map.Entry<String, Map<String, @Nullable Object>> entry : templates(job).entrySet()) {
      removeFrom(entry.getValue(), uid);
      if (!ofJob
          && !placed.equals(AffinityPatch.NOTHING)
          && entry.getValue().get("spec") instanceof Map<?, ?> spec) {
        AffinityPatch.NOTHING.replace(placed.of(entry.getKey()), JsonTree.cast(spec));
      }
    }
  }

  private static void removeFrom(Map<String, @Nullable Object> template, String uid) {
    if (template.get("metadata") instanceof Map<?, ?> metadata
        && metadata.get("annotations") instanceof Map<?, ?> map
        && !areOf(uid, JsonTree.cast(map))) {
      Map<String, @Nullable Object> annotations = JsonTree.cast(map);
      annotations.keySet().removeAll(OF_TEMPLATES);
      annotations.keySet().removeAll(OF);
      JsonTree.prune(JsonTree.cast(metadata), "annotations");
    }
  }

  /** The pod templates of a whole job by their replica type, as far as there are any. */
  private static Map<String, Map<String, @Nullable Object>> templates(
      Map<String, @Nullable Object> job) {
    Map<String, Map<String, @Nullable Object>> templates = new LinkedHashMap<>();
    if (job.get("spec") instanceof Map<?, ?> spec
        && spec.get("pytorchReplicaSpecs") instanceof Map<?, ?> replicas) {
      for (Map.Entry<?, ?> replica : replicas.entrySet()) {
        if (replica.getValue() instanceof Map<?, ?> map
            && map.get("template") instanceof Map<?, ?> template) {
          templates.put(String.valueOf(replica.getKey()), JsonTree.cast(template));
        }
      }
    }
    return templates;
  }
}
