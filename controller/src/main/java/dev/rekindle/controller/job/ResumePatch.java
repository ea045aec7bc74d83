package dev.rekindle.controller.job;

import dev.rekindle.controller.recovery.ResumeOrder;
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
  private static final String RESUME_FROM = "REKINDLE_RESUME_FROM";
  private static final String RESUME_STEP = "REKINDLE_RESUME_STEP";
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
    Map<String, @Nullable Object> patch = MergePatch.between(job, resumed(job, order));
    Map<String, @Nullable Object> was = Tree.child(Tree.copy(job), "metadata");
    Map<String, @Nullable Object> metadata = Tree.child(patch, "metadata");
    metadata.put("resourceVersion", was.get("resourceVersion"));
    metadata.put("uid", was.get("uid"));
    return patch;
  }

  private static Map<String, @Nullable Object> resumed(
      Map<String, @Nullable Object> job, ResumeOrder order) {
    Map<String, @Nullable Object> next = Tree.copy(job);
    Map<String, @Nullable Object> metadata = Tree.child(next, "metadata");
    Map<String, @Nullable Object> annotations = Tree.child(metadata, "annotations");
    Placement former = Placement.remembered(annotations);
    Placement placement = new Placement(order.excludedHostnames(), order.preferredTopology());
    boolean byEnv = !"none".equals(annotations.get(Marks.RESUME));

    Map<String, @Nullable Object> spec = Tree.child(next, "spec");
    Tree.child(spec, "runPolicy").put("suspend", false);
    for (Object replica : Tree.child(spec, "pytorchReplicaSpecs").values()) {
      if (replica instanceof Map<?, ?>) {
        Map<String, @Nullable Object> template = Tree.child(Tree.cast(replica), "template");
        Tree.child(Tree.child(template, "metadata"), "annotations")
            .put(Marks.ATTEMPT, order.attempt());
        Map<String, @Nullable Object> podSpec = Tree.child(template, "spec");
        tell(podSpec, order, byEnv);
        placement.replace(former, podSpec);
      }
    }
    annotations.remove(Marks.SUSPENDED_BY);
    placement.remember(annotations);
    Tree.prune(metadata, "annotations");
    return next;
  }

  private static void tell(
      Map<String, @Nullable Object> podSpec, ResumeOrder order, boolean byEnv) {
    String from = byEnv ? order.resumeFrom() : null;
    Long step = from == null ? null : order.resumeStep();
    for (Map<String, @Nullable Object> container : Tree.objects(podSpec, "containers")) {
      if (Marks.CONTAINER.equals(container.get("name"))) {
        List<Map<String, @Nullable Object>> env = new ArrayList<>(Tree.objects(container, "env"));
        set(env, RESUME_FROM, from);
        set(env, RESUME_STEP, step == null ? null : step.toString());
        set(env, ATTEMPT, order.attempt());
        set(env, RESUME_REASON, order.reason());
        Tree.setOrRemove(container, "env", env);
      }
    }
  }

  private static void set(
      List<Map<String, @Nullable Object>> env, String name, @Nullable String value) {
    int at = 0;
    while (at < env.size() && !name.equals(env.get(at).get("name"))) {
      at++;
    }
    boolean present = at < env.size();
    if (value == null) {
      if (present) {
        env.remove(at);
      }
      return;
    }
    Map<String, @Nullable Object> variable = new LinkedHashMap<>();
    variable.put("name", name);
    variable.put("value", literally(value));
    if (present) {
      env.set(at, variable);
    } else {
      env.add(variable);
    }
  }

  /** The kubelet expands {@code $(NAME)} in values; a path may contain it. */
  private static String literally(String value) {
    return value.replace("$(", "$$(");
  }
}
