package dev.rekindle.controller.nodehealth;

import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RepairAction;
import dev.rekindle.controller.model.AscendView;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.node.AscendFault;
import dev.rekindle.detect.node.ConditionReading;
import dev.rekindle.detect.node.DeviceHealth;
import dev.rekindle.detect.node.DeviceTaint;
import dev.rekindle.detect.node.Shortfall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reads off the objects of a node what is wrong with it. Pure.
 *
 * <ul>
 *   <li>Conditions: what {@link ConditionRules} says.
 *   <li>A device that the kubelet holds for unhealthy while an opted-in job has it: {@code
 *       Threshold}. NVIDIA's plugin marks devices for any XID that is not on its short list,
 *       harmless ones among them, and all of them when its own wait for events fails; it never
 *       takes that back. One such mark is a witness, no proof.
 *   <li>Fewer devices to give than there are, under an opted-in job: reported only, for it says
 *       neither which device nor why, but it is why a gang may find no place.
 *   <li>A device tainted {@code NoExecute} loses its pods whatever we do: it fences. {@code
 *       NoSchedule} leaves them: reported only. So is a rule that selects devices by an expression:
 *       to know which, it would have to be run.
 *   <li>Ascend: the level that MindCluster gives. One that asks for a restart is reported only:
 *       work that such an error hits ends or stands still, and is restarted for that; work that
 *       goes on is not to be stopped for it.
 *   <li>A device that HAMi holds for unhealthy: a witness, as a plugin's.
 * </ul>
 */
final class NodeSymptoms {
  /** A plugin that restarts registers anew within seconds; an upgrade of it takes longer. */
  private static final Duration PLUGIN_RESTARTS = Duration.ofSeconds(60);

  static final String PLUGIN_UNHEALTHY = "DEVICE-PLUGIN-UNHEALTHY";
  static final String DEVICE_UNHEALTHY = "DEVICE-UNHEALTHY";
  static final String HAMI_UNHEALTHY = "HAMI-UNHEALTHY";

  /** What codes begin with that end in a word of somebody else's. */
  static final String DRA = "DRA-";

  static final String ASCEND = "ASCEND-";
  static final String ASCEND_NETWORK = "ASCEND-NETWORK-";

  private static final String INVESTIGATE = RepairAction.INVESTIGATE.word();
  private static final String SOME =
      ", as far as an expression or a class selects it: which devices those are is not known here"
          + " are, so nothing follows";
  private static final String RESTARTS =
      "; work that it hits ends or stands still and is restarted for that, ";
  private static final int MAX_SIGNS = 64;
  private static final int MAX_ID = 100;

  private NodeSymptoms() {}

  /** The signs, one for each fault that it may become. */
  static List<NodeSymptom> of(NodeHealthSnapshot s, Policy policy) {
    Map<String, NodeSymptom> signs = new LinkedHashMap<>();
    Stream.of(
            conditions(s, ConditionRules.of(policy.nodeConditions())),
            unhealthyDevices(s),
            shortfalls(s, policy),
            taints(s),
            ascend(s),
            hami(s))
        .flatMap(List::stream)
        .limit(MAX_SIGNS)
        .forEach(sign -> signs.putIfAbsent(sign.name(), sign));
    return List.copyOf(signs.values());
  }

  private static List<NodeSymptom> conditions(NodeHealthSnapshot s, ConditionRules rules) {
    List<NodeSymptom> signs = new ArrayList<>();
    for (ConditionReading condition : s.node().signs().conditions()) {
      Optional<ConditionRules.Match> match = rules.judge(condition);
      if (match.isEmpty() || match.get().verdict() == ConditionRules.Verdict.IGNORE) {
        continue;
      }
      boolean fences = match.get().verdict() == ConditionRules.Verdict.FENCE;
      signs.add(
          new NodeSymptom(
              s.node().name(),
              ComponentType.NODE,
              "",
              match.get().code(),
              Detectors.CONDITION,
              fences ? FenceGuidance.ALWAYS : FenceGuidance.NEVER,
              INVESTIGATE,
              condition.since(),
              match.get().delay(),
              describe(condition)));
    }
    return signs;
  }

  private static String describe(ConditionReading condition) {
    String reason = condition.reason().isEmpty() ? "" : " (" + condition.reason() + ")";
    String message = condition.message().isEmpty() ? "" : ": " + condition.message();
    return "condition %s is %s%s%s"
        .formatted(condition.type(), condition.status(), reason, message);
  }

  private static List<NodeSymptom> unhealthyDevices(NodeHealthSnapshot s) {
    return s.pods().stream()
        .flatMap(
            pod ->
                pod.devices().unhealthy().stream()
                    .map(
                        device ->
                            new NodeSymptom(
                                s.node().name(),
                                type(device.resource()),
                                safe(device.id()),
                                DEVICE_UNHEALTHY,
                                Detectors.DEVICE_PLUGIN,
                                FenceGuidance.THRESHOLD,
                                INVESTIGATE,
                                null,
                                Duration.ZERO,
                                describe(device, pod.name()))))
        .toList();
  }

  private static String describe(DeviceHealth device, String pod) {
    String message = device.message().isEmpty() ? "" : ": " + device.message();
    return "the kubelet holds %s of %s, in pod %s, for unhealthy%s"
        .formatted(device.id(), device.resource(), pod, message);
  }

  /**
   * Once raised, it stands until the node has all of them to give again, whichever job is on it.
   */
  private static List<NodeSymptom> shortfalls(NodeHealthSnapshot s, Policy policy) {
    return s.node().signs().shortfalls().stream()
        .filter(f -> policy.deviceResources().stream().anyMatch(p -> fits(p, f.resource())))
        .filter(f -> !s.pods().isEmpty() || stands(s, PLUGIN_UNHEALTHY, safe(f.resource())))
        .map(f -> shortfall(s.node().name(), f))
        .toList();
  }

  private static NodeSymptom shortfall(String node, Shortfall f) {
    return new NodeSymptom(
        node,
        type(f.resource()) == ComponentType.NIC ? ComponentType.NIC : ComponentType.NODE,
        safe(f.resource()),
        PLUGIN_UNHEALTHY,
        Detectors.DEVICE_PLUGIN,
        FenceGuidance.NEVER,
        INVESTIGATE,
        null,
        PLUGIN_RESTARTS,
        "pods may ask for %d of %d %s: the device plugin holds back the rest"
            .formatted(f.allocatable(), f.capacity(), f.resource()));
  }

  private static List<NodeSymptom> taints(NodeHealthSnapshot s) {
    return s.taints().stream()
        .filter(t -> t.effect().equals("NoExecute") || t.effect().equals("NoSchedule"))
        .map(t -> taint(s.node().name(), t))
        .toList();
  }

  private static NodeSymptom taint(String node, DeviceTaint t) {
    String value = t.value().isEmpty() ? "" : "=" + t.value();
    String device = t.device().isEmpty() ? "all devices" : "device " + t.device();
    // Two rules of one key may say different things, and only one of them of which devices.
    String code = DRA + ConditionRules.word(t.key()) + (t.selected() ? "-SELECTED" : "");
    return new NodeSymptom(
        node,
        type(t.driver()),
        safe(t.address().isEmpty() ? t.device() : pci(t.address())),
        code,
        Detectors.DRA,
        t.effect().equals("NoExecute") && !t.selected()
            ? FenceGuidance.ALWAYS
            : FenceGuidance.NEVER,
        INVESTIGATE,
        t.since(),
        Duration.ZERO,
        "%s of pool %s (%s) is tainted %s%s:%s%s"
            .formatted(
                device,
                t.pool(),
                t.driver(),
                t.key(),
                value,
                t.effect(),
                t.selected() ? SOME : ""));
  }

  private static List<NodeSymptom> ascend(NodeHealthSnapshot s) {
    return s.ascend().stream()
        .map(AscendView::faults)
        .flatMap(List::stream)
        .filter(f -> f.advice() != AscendFault.Advice.NOTHING)
        .map(f -> ascend(s.node().name(), f))
        .toList();
  }

  private static NodeSymptom ascend(String node, AscendFault f) {
    boolean restart =
        f.advice() == AscendFault.Advice.RESTART || f.advice() == AscendFault.Advice.RESET;
    String what = f.device().isEmpty() ? "the node" : f.device();
    return new NodeSymptom(
        node,
        f.device().isEmpty() ? ComponentType.NODE : ComponentType.GPU,
        safe(f.device()),
        (f.network() ? ASCEND_NETWORK : ASCEND) + ConditionRules.word(f.level()),
        Detectors.ASCEND,
        switch (f.advice()) {
          case SEPARATE -> FenceGuidance.ALWAYS;
          case KEEP_OFF -> FenceGuidance.THRESHOLD;
          case RESTART, RESET, NOTHING -> FenceGuidance.NEVER;
        },
        restart ? RepairAction.RESTART_JOB.word() : INVESTIGATE,
        null,
        Duration.ZERO,
        "MindCluster gives %s the level %s%s%s%s"
            .formatted(
                what,
                f.level(),
                f.network() ? " for its network" : "",
                f.codes().isEmpty() ? "" : ", codes " + f.codes(),
                switch (f.advice()) {
                  case RESTART -> RESTARTS + "the device is not in question";
                  case RESET -> RESTARTS + "the device is reset by MindCluster once it is free";
                  case SEPARATE, KEEP_OFF, NOTHING -> "";
                }));
  }

  private static List<NodeSymptom> hami(NodeHealthSnapshot s) {
    return s.node().signs().sickDevices().stream()
        .map(
            id ->
                new NodeSymptom(
                    s.node().name(),
                    ComponentType.GPU,
                    safe(id),
                    HAMI_UNHEALTHY,
                    Detectors.HAMI,
                    FenceGuidance.THRESHOLD,
                    INVESTIGATE,
                    null,
                    PLUGIN_RESTARTS,
                    "HAMi registers " + id + " as unhealthy"))
        .toList();
  }

  /**
   * Whether it is not known if a fault of ours is over: its condition is Unknown, its ConfigMap
   * cannot be read, or it is a mark that a device plugin never takes back while the node still has
   * less to give than it has.
   */
  static boolean undecided(NodeHealthSnapshot s, Policy policy, FaultView fault) {
    return switch (fault.detector()) {
      case Detectors.CONDITION -> unknown(s, policy, fault.code());
      case Detectors.ASCEND -> s.ascend().stream().anyMatch(a -> !a.readable());
      case Detectors.DEVICE_PLUGIN ->
          fault.code().equals(DEVICE_UNHEALTHY)
              && s.node().signs().shortfalls().stream()
                  .anyMatch(
                      f -> policy.deviceResources().stream().anyMatch(p -> fits(p, f.resource())));
      default -> false;
    };
  }

  private static boolean unknown(NodeHealthSnapshot s, Policy policy, String code) {
    ConditionRules rules = ConditionRules.of(policy.nodeConditions());
    return s.node().signs().conditions().stream()
        .filter(ConditionReading::unknown)
        .filter(c -> rules.knows(c.type()))
        .map(c -> ConditionRules.code(c.type()))
        .anyMatch(of -> code.equals(of) || code.startsWith(of + "-"));
  }

  private static boolean stands(NodeHealthSnapshot s, String code, String component) {
    return s.faults().stream()
        .anyMatch(
            f -> f.active() && f.code().equals(code) && f.component().endsWith(" " + component));
  }

  private static boolean fits(String pattern, String resource) {
    return ConditionRules.fits(pattern, resource);
  }

  /** By the name of a resource or a driver. */
  private static ComponentType type(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (lower.contains("rdma")
        || lower.contains("hca")
        || lower.contains("nic")
        || lower.contains("dranet")) {
      return ComponentType.NIC;
    }
    return ComponentType.GPU;
  }

  /** {@code 0000:3b:00.0} as the kernel log has it: without the function. */
  private static String pci(String address) {
    int dot = address.lastIndexOf('.');
    return (dot > 0 ? address.substring(0, dot) : address).toLowerCase(Locale.ROOT);
  }

  /**
   * An id of somebody else's in the alphabet that names of objects and the schema take. A part of a
   * name begins and ends with a letter or a digit.
   */
  private static String safe(String id) {
    StringBuilder safe = new StringBuilder();
    for (int i = 0; i < Math.min(id.length(), MAX_ID); i++) {
      char c = id.charAt(i);
      safe.append(alphanumeric(c) || "-_.:/".indexOf(c) >= 0 ? c : '-');
    }
    while (!safe.isEmpty() && !alphanumeric(safe.charAt(safe.length() - 1))) {
      safe.setLength(safe.length() - 1);
    }
    while (!safe.isEmpty() && !alphanumeric(safe.charAt(0))) {
      safe.deleteCharAt(0);
    }
    return safe.toString();
  }

  private static boolean alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }
}
