package dev.rekindle.controller.nodehealth;

import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.Policy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What is wrong with a node, by what Kubernetes and others write on its objects. One class for each
 * of these: {@link ConditionSymptoms}, {@link DevicePluginSymptoms}, {@link TaintSymptoms}, {@link
 * AscendSymptoms}. Pure.
 */
final class NodeSymptoms {
  static final String PLUGIN_UNHEALTHY = "DEVICE-PLUGIN-UNHEALTHY";
  static final String DEVICE_UNHEALTHY = "DEVICE-UNHEALTHY";
  static final String HAMI_UNHEALTHY = "HAMI-UNHEALTHY";

  /** What codes begin with that end in a word of somebody else's. */
  static final String DRA = "DRA-";

  static final String ASCEND = "ASCEND-";
  static final String ASCEND_NETWORK = "ASCEND-NETWORK-";

  private static final int MAX_SYMPTOMS = 64;

  private NodeSymptoms() {}

  /** The symptoms, one for each fault that it may become. */
  static List<NodeSymptom> of(NodeHealthSnapshot s, Policy policy) {
    Map<String, NodeSymptom> symptoms = new LinkedHashMap<>();
    Stream.of(
            ConditionSymptoms.of(s, policy),
            DevicePluginSymptoms.unhealthyDevices(s),
            DevicePluginSymptoms.shortfalls(s, policy),
            TaintSymptoms.of(s),
            AscendSymptoms.of(s),
            DevicePluginSymptoms.hami(s))
        .flatMap(List::stream)
        .limit(MAX_SYMPTOMS)
        .forEach(symptom -> symptoms.putIfAbsent(symptom.name(), symptom));
    return List.copyOf(symptoms.values());
  }

  /**
   * Whether it is unknown if a fault that Rekindle reported is over: its condition is Unknown, its
   * ConfigMap cannot be read, its driver or its device plugin is away, or it is a mark that a
   * device plugin never takes back while the node still has less to give than it has.
   */
  static boolean undecided(NodeHealthSnapshot s, Policy policy, FaultView fault) {
    return switch (fault.detector()) {
      case Detectors.CONDITION -> ConditionSymptoms.unknown(s, policy, fault.code());
      case Detectors.ASCEND -> s.ascend().stream().anyMatch(a -> !a.readable());
      case Detectors.DRA -> TaintSymptoms.isAway(s, fault);
      case Detectors.DEVICE_PLUGIN ->
          fault.code().equals(DEVICE_UNHEALTHY)
              ? DevicePluginSymptoms.lacks(s, policy)
              : DevicePluginSymptoms.isAway(s, fault);
      default -> false;
    };
  }
}
