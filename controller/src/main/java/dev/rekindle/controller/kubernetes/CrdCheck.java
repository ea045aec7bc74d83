package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.RankReport;
import dev.rekindle.api.RankReportSpec;
import dev.rekindle.api.RankReportStatus;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.api.RecoveryPolicyStatus;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.RestartReport;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the cluster's CRDs know every field that this release writes: the API server drops what
 * they do not know, without a word. The chart compares them at an install by Helm; a cluster that
 * is fed by {@code helm template} or Argo CD is compared here. The schemas are read as the API
 * server publishes them for everybody, so no right to read CRDs is needed.
 */
public final class CrdCheck {
  private static final Logger LOG = LoggerFactory.getLogger(CrdCheck.class);
  private static final String PATH = "/openapi/v3/apis/rekindle.dev/v1alpha1";
  private static final String SCHEMA = "dev.rekindle.v1alpha1.";
  private static final int MOST_LISTED = 8;

  private record Kind(
      Class<?> type, Class<? extends Record> spec, @Nullable Class<? extends Record> status) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind(NodeFault.class, NodeFaultSpec.class, NodeFaultStatus.class),
          new Kind(RankReport.class, RankReportSpec.class, RankReportStatus.class),
          new Kind(Recovery.class, RecoverySpec.class, RecoveryStatus.class),
          new Kind(RecoveryPolicy.class, RecoveryPolicySpec.class, RecoveryPolicyStatus.class),
          new Kind(RestartOrder.class, RestartOrderSpec.class, null),
          new Kind(RestartReport.class, RestartReportSpec.class, null));

  private volatile String problem = "";

  /** Nothing has been compared yet. */
  public CrdCheck() {}

  /** What is wrong and what to do, as last found; empty when nothing is. */
  public String problem() {
    return problem;
  }

  /** Checks once. Where the API server does not say, nothing is wrong as far as is known. */
  public void check(KubernetesClient client) {
    String before = problem;
    try {
      problem = problem(published(client));
    } catch (RuntimeException unknown) {
      // What an answer makes of the reader that makes no sense must not end the checks.
      LOG.atInfo()
          .addKeyValue(LogKey.ERROR.key(), String.valueOf(unknown.getMessage()))
          .log("Cannot compare the CRDs with this release");
      return;
    }
    if (!problem.isEmpty() && !problem.equals(before)) {
      LOG.atError().addKeyValue(LogKey.DETAIL.key(), problem).log("CRDs are of another release");
    } else if (problem.isEmpty() && !before.isEmpty()) {
      LOG.atInfo().log("CRDs match this release");
    }
  }

  private static Map<?, ?> published(KubernetesClient client) {
    String text = client.raw(PATH);
    if (text == null) {
      // The client's word for a 404.
      throw new IllegalArgumentException(PATH + " is not found");
    }
    return Serialization.unmarshal(text, Map.class);
  }

  /** What is wrong now; where the API server does not publish the kinds, that. */
  static String ask(KubernetesClient client) {
    try {
      return problem(published(client));
    } catch (RuntimeException untold) {
      return "the API server does not publish the kinds of rekindle.dev; are the CRDs installed? "
          + untold.getMessage();
    }
  }

  /**
   * What these schemas lack.
   *
   * @param published the document that the API server publishes for the group and version
   */
  static String problem(@Nullable Map<?, ?> published) {
    Object schemas = child(child(published, "components"), "schemas");
    List<String> missing = new ArrayList<>();
    for (Kind kind : KINDS) {
      String name = kind.type().getSimpleName();
      Object properties = child(child(schemas, SCHEMA + name), "properties");
      if (properties == null) {
        missing.add(name + " as a whole");
        continue;
      }
      compare(kind.spec(), child(properties, "spec"), name + ".spec", missing);
      if (kind.status() != null) {
        compare(kind.status(), child(properties, "status"), name + ".status", missing);
      }
    }
    return missing.isEmpty()
        ? ""
        : ("the CRDs of this cluster are of another release and lack %s%s; apply those of the"
                + " chart: kubectl apply --server-side -f charts/rekindle/crds")
            .formatted(
                String.join(", ", missing.stream().limit(MOST_LISTED).toList()),
                missing.size() > MOST_LISTED ? ", and more" : "");
  }

  private static void compare(
      Class<?> record, @Nullable Object schema, String path, List<String> missing) {
    Object properties = child(schema, "properties");
    for (RecordComponent component : record.getRecordComponents()) {
      String name = path + "." + component.getName();
      Object field = child(properties, component.getName());
      if (field == null) {
        missing.add(name);
      } else if (component.getType().isRecord()) {
        compare(component.getType(), unwrapped(field), name, missing);
      } else if (element(component.getGenericType()) instanceof Class<?> of && of.isRecord()) {
        compare(of, unwrapped(child(field, "items")), name, missing);
      }
    }
  }

  /** A default beside an object is published as one of all of it. */
  private static @Nullable Object unwrapped(@Nullable Object schema) {
    return child(schema, "allOf") instanceof List<?> all && all.size() == 1
        ? all.getFirst()
        : schema;
  }

  private static @Nullable Type element(Type type) {
    return type instanceof ParameterizedType generic && generic.getRawType() == List.class
        ? generic.getActualTypeArguments()[0]
        : null;
  }

  private static @Nullable Object child(@Nullable Object tree, String key) {
    return tree instanceof Map<?, ?> map ? map.get(key) : null;
  }
}
