package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Annotations;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Rekindle marks that were made for another job: a copy by {@code kubectl get -o yaml}, renamed and
 * applied, carries the attempt, the suspension and the checkpoint of the original. Marks count only
 * together with {@link Annotations#MARKS_OF} and the UID of the job that they stand on; the others
 * are taken off with the next write.
 */
final class ForeignMarks {
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

  private ForeignMarks() {}

  /** Whether marks among the annotations are those of the job of that UID. */
  static boolean areOf(String uid, Map<String, ?> annotations) {
    return !uid.isEmpty() && uid.equals(annotations.get(Annotations.MARKS_OF));
  }

  /** The names of the marks that do not count, sorted. */
  static List<String> names(
      String uid, Map<String, String> job, List<Map<String, String>> templates) {
    TreeSet<String> names = new TreeSet<>();
    add(names, uid, job, OF_JOBS);
    templates.forEach(template -> add(names, uid, template, OF_TEMPLATES));
    return List.copyOf(names);
  }

  private static void add(
      Set<String> names, String uid, Map<String, String> annotations, List<String> marks) {
    if (!areOf(uid, annotations)) {
      marks.stream()
          .filter(mark -> !annotations.getOrDefault(mark, "").isEmpty())
          .forEach(names::add);
    }
  }

  /** Says for which job the marks are, where there are any; else takes that off as well. */
  static void sign(Map<String, @Nullable Object> annotations, @Nullable Object uid) {
    if (OF_JOBS.stream().anyMatch(annotations::containsKey)) {
      annotations.put(Annotations.MARKS_OF, uid);
    } else {
      annotations.remove(Annotations.MARKS_OF);
    }
  }

  /** Takes them off a whole job, in place. */
  static void remove(Map<String, @Nullable Object> job) {
    Map<String, @Nullable Object> metadata = JsonTree.child(job, "metadata");
    String uid = metadata.get("uid") instanceof String text ? text : "";
    Map<String, @Nullable Object> annotations = JsonTree.child(metadata, "annotations");
    boolean ofJob = areOf(uid, annotations);
    AffinityPatch placed = AffinityPatch.remembered(annotations);
    if (!ofJob) {
      annotations.keySet().removeAll(OF_JOBS);
      annotations.remove(Annotations.MARKS_OF);
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
        && metadata.get("annotations") instanceof Map<?, ?> marks
        && !areOf(uid, JsonTree.cast(marks))) {
      Map<String, @Nullable Object> annotations = JsonTree.cast(marks);
      annotations.keySet().removeAll(OF_TEMPLATES);
      annotations.remove(Annotations.MARKS_OF);
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
