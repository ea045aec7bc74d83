package dev.rekindle.testbed.fidelity;

import dev.rekindle.controller.model.JobView.RestartPolicy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a job of a scenario is asked of the operator as. */
final class JobManifest {
  /** Ends with 1 or 0 on request; signals reach the shell once its child has died of them. */
  private static final String SCRIPT =
      """
      trap 'exit 1' USR1; trap 'exit 0' USR2; trap 'ON_TERM' TERM
      while :; do sleep 1000000 & wait $!; done
      """;

  /**
   * A worker waits for its master's name. With the usual patience one lost packet costs it 50 s:
   * five names to try, twice five seconds for each.
   */
  private static final Map<String, Object> IMPATIENT =
      Map.of(
          "options",
          List.of(
              Map.of("name", "timeout", "value", "1"), Map.of("name", "attempts", "value", "1")));

  private final Scenario scenario;
  private final String node;

  /**
   * @param node the lone node of the scenario, or an empty string
   */
  JobManifest(Scenario scenario, String node) {
    this.scenario = scenario;
    this.node = node;
  }

  /** Its replica specs, by role. */
  Map<String, Object> replicas(IdleJobSpec spec) {
    Map<String, Object> replicas = new LinkedHashMap<>();
    replicas.put("Master", replica(spec, 1));
    if (spec.workers() > 0) {
      replicas.put("Worker", replica(spec, spec.workers()));
    }
    return replicas;
  }

  private Map<String, Object> replica(IdleJobSpec spec, int count) {
    Map<String, Object> container = new LinkedHashMap<>();
    container.put("name", "pytorch");
    container.put("image", "localhost/trainer:1");
    container.put("imagePullPolicy", "IfNotPresent");
    container.put(
        "command",
        List.of("sh", "-c", SCRIPT.replace("ON_TERM", scenario.heeds() ? "exit 143" : "")));
    if (spec.gpus() > 0) {
      container.put("resources", Map.of("limits", Map.of(NodeGpus.GPU, spec.gpus())));
    }
    return Map.of(
        "replicas", count,
        "restartPolicy", policy(spec.restart()),
        "template",
            Map.of(
                "spec",
                Map.of(
                    "terminationGracePeriodSeconds", spec.graceSeconds(),
                    "affinity", affinity(spec, false),
                    "dnsConfig", IMPATIENT,
                    "tolerations", List.of(toleration()),
                    "containers", List.of(container))));
  }

  private Map<String, Object> toleration() {
    return Map.of(
        "key", "node.kubernetes.io/unreachable",
        "operator", "Exists",
        "effect", "NoExecute",
        "tolerationSeconds", scenario.toleration().toSeconds());
  }

  private static String policy(RestartPolicy policy) {
    return switch (policy) {
      case ALWAYS -> "Always";
      case ON_FAILURE -> "OnFailure";
      case NEVER -> "Never";
      case EXIT_CODE -> "ExitCode";
    };
  }

  /** On which nodes its pods may be. */
  Map<String, Object> affinity(IdleJobSpec spec, boolean offTheLoneNode) {
    List<Map<String, Object>> expressions = new ArrayList<>();
    switch (spec.place()) {
      case ANYWHERE -> expressions.add(hostname("NotIn", RealCluster.loneNodes()));
      case LONE -> expressions.add(hostname("In", List.of(node)));
      case NOWHERE -> expressions.add(hostname("In", List.of("nowhere")));
    }
    if (offTheLoneNode) {
      expressions.add(hostname("NotIn", List.of(node)));
    }
    return Map.of(
        "nodeAffinity",
        Map.of(
            "requiredDuringSchedulingIgnoredDuringExecution",
            Map.of("nodeSelectorTerms", List.of(Map.of("matchExpressions", expressions)))));
  }

  private static Map<String, Object> hostname(String operator, List<String> values) {
    return Map.of("key", "kubernetes.io/hostname", "operator", operator, "values", values);
  }
}
