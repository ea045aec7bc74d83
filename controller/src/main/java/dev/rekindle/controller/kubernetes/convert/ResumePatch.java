package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.controller.model.TrainingContainer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The one write that brings a drained job back: templates patched and suspension lifted together,
 * so that no pod is ever created from half of it.
 *
 * <p>Works on the raw object. A JSON merge patch replaces whole lists, so every list it touches is
 * sent back as it was read, with fields unknown to us, but for our own entries. Applied to its own
 * result it changes nothing.
 */
public final class ResumePatch {
  private static final String RESUME_STEP = "REKINDLE_RESUME_STEP";
  private static final String RESUME_FORMAT = "REKINDLE_RESUME_FORMAT";
  private static final String ATTEMPT = "REKINDLE_ATTEMPT";
  private static final String RESUME_REASON = "REKINDLE_RESUME_REASON";

  private ResumePatch() {}

  /**
   * The JSON merge patch. It names UID and resource version of the object it was made from, so that
   * the API server refuses it (409) for any other.
   *
   * @param job the whole PyTorchJob as read from the API server
   * @param order what to do
   */
  public static Map<String, @Nullable Object> of(
      Map<String, @Nullable Object> job, ResumeOrder order) {
    return of(job, resumed(job, order, true));
  }

  /**
   * The same for a job that Kueue admits: its suspension is Kueue's, and so are its containers,
   * which Kueue compares with what it has admitted. A script is given its checkpoint where its own
   * template reads our annotations.
   */
  public static Map<String, @Nullable Object> underKueue(
      Map<String, @Nullable Object> job, ResumeOrder order) {
    return of(job, resumed(job, order, false));
  }

  private static Map<String, @Nullable Object> of(
      Map<String, @Nullable Object> job, Map<String, @Nullable Object> next) {
    Map<String, @Nullable Object> patch = MergePatch.between(job, next);
    Map<String, @Nullable Object> was = JsonTree.child(JsonTree.copy(job), "metadata");
    Map<String, @Nullable Object> metadata = JsonTree.child(patch, "metadata");
    metadata.put("resourceVersion", was.get("resourceVersion"));
    metadata.put("uid", was.get("uid"));
    return patch;
  }

  /**
   * The same that suspends the job. Marks of another job are taken off in the same write: once ours
   * stand beside them they could not be distinguished.
   *
   * @param recovery in whose name
   */
  public static Map<String, @Nullable Object> suspended(
      Map<String, @Nullable Object> job, String recovery) {
    Map<String, @Nullable Object> next = JsonTree.copy(job);
    CopiedAnnotations.remove(next);
    Map<String, @Nullable Object> metadata = JsonTree.child(next, "metadata");
    Map<String, @Nullable Object> annotations = JsonTree.child(metadata, "annotations");
    CopiedAnnotations.setJob(annotations, metadata.get("uid"));
    annotations.put(Annotations.SUSPENDED_BY, recovery);
    JsonTree.child(JsonTree.child(next, "spec"), "runPolicy").put("suspend", true);
    return of(job, next);
  }

  /** The same that takes back from the templates which checkpoint pods are given. */
  public static Map<String, @Nullable Object> cleared(Map<String, @Nullable Object> job) {
    Map<String, @Nullable Object> next = JsonTree.copy(job);
    CopiedAnnotations.remove(next);
    Map<String, @Nullable Object> replicas =
        JsonTree.child(JsonTree.child(next, "spec"), "pytorchReplicaSpecs");
    for (Object replica : replicas.values()) {
      if (replica instanceof Map<?, ?>) {
        Map<String, @Nullable Object> template = JsonTree.child(JsonTree.cast(replica), "template");
        Map<String, @Nullable Object> annotations =
            JsonTree.child(JsonTree.child(template, "metadata"), "annotations");
        annotations.remove(Annotations.RESUME_FROM);
        annotations.remove(Annotations.RESUME_STEP);
        annotations.remove(Annotations.RESUME_FORMAT);
      }
    }
    return of(job, next);
  }

  /**
   * The same that takes pods made from now on to these nodes, by preference; to where the rest of
   * the template leads when there are none. What others wrote into the template stays.
   */
  public static Map<String, @Nullable Object> planned(
      Map<String, @Nullable Object> job, List<String> hostnames) {
    Map<String, @Nullable Object> next = JsonTree.copy(job);
    CopiedAnnotations.remove(next);
    Map<String, @Nullable Object> metadata = JsonTree.child(next, "metadata");
    Map<String, @Nullable Object> annotations = JsonTree.child(metadata, "annotations");
    AffinityPatch former = AffinityPatch.remembered(annotations);
    AffinityPatch placement = former.planning(hostnames);
    for (var replica :
        JsonTree.child(JsonTree.child(next, "spec"), "pytorchReplicaSpecs").entrySet()) {
      if (replica.getValue() instanceof Map<?, ?> map) {
        Map<String, @Nullable Object> template = JsonTree.child(JsonTree.cast(map), "template");
        place(placement, former, replica.getKey(), JsonTree.child(template, "spec"));
      }
    }
    placement.remember(annotations);
    CopiedAnnotations.sign(annotations, metadata.get("uid"));
    JsonTree.prune(metadata, "annotations");
    return of(job, next);
  }

  private static Map<String, @Nullable Object> resumed(
      Map<String, @Nullable Object> job, ResumeOrder order, boolean alone) {
    Map<String, @Nullable Object> next = JsonTree.copy(job);
    CopiedAnnotations.remove(next);
    Map<String, @Nullable Object> metadata = JsonTree.child(next, "metadata");
    Map<String, @Nullable Object> annotations = JsonTree.child(metadata, "annotations");
    AffinityPatch former = AffinityPatch.remembered(annotations);
    AffinityPatch placement =
        new AffinityPatch(
            order.excludedHostnames(),
            order.avoidedHostnames(),
            order.preferredTopology(),
            order.plannedHostnames(),
            order.plannedForMaster());
    boolean byEnv = !"none".equals(annotations.get(Annotations.RESUME));

    Map<String, @Nullable Object> spec = JsonTree.child(next, "spec");
    if (alone) {
      JsonTree.child(spec, "runPolicy").put("suspend", false);
    }
    for (var replica : JsonTree.child(spec, "pytorchReplicaSpecs").entrySet()) {
      if (replica.getValue() instanceof Map<?, ?> map) {
        Map<String, @Nullable Object> template = JsonTree.child(JsonTree.cast(map), "template");
        Map<String, @Nullable Object> ofPods =
            JsonTree.child(JsonTree.child(template, "metadata"), "annotations");
        CopiedAnnotations.setJob(ofPods, metadata.get("uid"));
        ofPods.put(Annotations.ATTEMPT, order.attempt());
        Map<String, @Nullable Object> podSpec = JsonTree.child(template, "spec");
        addResume(ofPods, order, byEnv);
        if (alone) {
          refer(podSpec, byEnv);
        }
        place(placement, former, replica.getKey(), podSpec);
      }
    }
    CopiedAnnotations.setJob(annotations, metadata.get("uid"));
    annotations.remove(Annotations.SUSPENDED_BY);
    placement.remember(annotations);
    return next;
  }

  private static void place(
      AffinityPatch placement,
      AffinityPatch former,
      String type,
      Map<String, @Nullable Object> podSpec) {
    placement.of(type).replace(former.of(type), podSpec);
  }

  /**
   * Values stand in annotations, and variables refer to them: the kubelet reads these again each
   * time it starts a container, so that a gang restarted in place can be given another checkpoint.
   * One that refers to no annotation is empty: nothing is given.
   */
  private static void addResume(
      Map<String, @Nullable Object> annotations, ResumeOrder order, boolean byEnv) {
    String from = byEnv ? order.resumeFrom() : null;
    Long step = from == null ? null : order.resumeStep();
    set(annotations, Annotations.RESUME_FROM, from);
    set(annotations, Annotations.RESUME_STEP, step == null ? null : step.toString());
    boolean isKnown = from != null && !order.resumeFormat().isEmpty();
    set(annotations, Annotations.RESUME_FORMAT, isKnown ? order.resumeFormat() : null);
    set(annotations, Annotations.RESUME_ATTEMPT, order.attempt());
    set(annotations, Annotations.RESUME_REASON, order.reason());
  }

  /** Lets the variables of the training container refer to these annotations. */
  private static void refer(Map<String, @Nullable Object> podSpec, boolean byEnv) {
    for (Map<String, @Nullable Object> container : JsonTree.objects(podSpec, "containers")) {
      if (TrainingContainer.NAME.equals(container.get("name"))) {
        List<Map<String, @Nullable Object>> env =
            new ArrayList<>(JsonTree.objects(container, "env"));
        set(env, TrainingContainer.ENV_RESUME_FROM, byEnv ? Annotations.RESUME_FROM : null);
        set(env, RESUME_STEP, byEnv ? Annotations.RESUME_STEP : null);
        set(env, RESUME_FORMAT, byEnv ? Annotations.RESUME_FORMAT : null);
        set(env, ATTEMPT, Annotations.RESUME_ATTEMPT);
        set(env, RESUME_REASON, Annotations.RESUME_REASON);
        JsonTree.setOrRemove(container, "env", env);
      }
    }
  }

  private static void set(
      Map<String, @Nullable Object> annotations, String name, @Nullable String value) {
    if (value == null) {
      annotations.remove(name);
    } else {
      annotations.put(name, value);
    }
  }

  private static void set(
      List<Map<String, @Nullable Object>> env, String name, @Nullable String annotation) {
    int at = 0;
    while (at < env.size() && !name.equals(env.get(at).get("name"))) {
      at++;
    }
    boolean present = at < env.size();
    if (annotation == null) {
      if (present) {
        env.remove(at);
      }
      return;
    }
    Map<String, @Nullable Object> variable = new LinkedHashMap<>();
    variable.put("name", name);
    variable.put(
        "valueFrom", Map.of("fieldRef", Map.of("fieldPath", Annotations.fieldOf(annotation))));
    if (present) {
      env.set(at, variable);
    } else {
      env.add(variable);
    }
  }
}
