package dev.rekindle.detect.rdma;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RepairAction;
import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultResolution;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Puts one decision together. */
final class NicDecisionBuilder {
  /** Polls after which a device that is not there is missing. */
  static final int LOOKS = 3;

  /** Within the silence of three minutes that would end an incident. */
  static final Duration REPEAT = Duration.ofMinutes(2);

  /** How long a counter must keep below its threshold. */
  static final Duration CALM = Duration.ofHours(1);

  private final String node;
  private final String bootId;

  private final NicMemory before;
  private final NicReadings readings;
  private final Instant now;
  private final Rails known;
  private final List<FaultResolution> clearances = new ArrayList<>();
  private final List<FaultObservation> observations = new ArrayList<>();
  private final NavigableMap<String, KnownPort> ports = new TreeMap<>();

  NicDecisionBuilder(
      String node,
      String bootId,
      Map<String, Integer> rails,
      NicMemory before,
      NicReadings readings,
      Instant now) {
    this.node = node;
    this.bootId = bootId;
    this.before = before;
    this.readings = readings;
    this.now = now;
    Map<String, String> devices = new TreeMap<>();
    before.ports().values().stream()
        .filter(port -> !readings.excluded().contains(port.device()))
        .forEach(port -> devices.put(port.device(), port.pci()));
    readings.ports().forEach(port -> devices.put(port.device(), port.pci()));
    known = new Rails(rails, devices);
  }

  /** Takes a port that is there. */
  void port(PortReading port) {
    var old = before.ports().get(port.id());
    var same = old != null && old.bootId().equals(bootId) ? old : null;
    var link = old == null ? Link.NEW : same == null ? old.link().afterBoot() : same.link();
    var tally = same == null ? Tally.NEW : same.tally();
    var current =
        new KnownPort(
            port.id(),
            port.device(),
            port.pci(),
            bootId,
            0,
            link.and(port, now),
            tally.and(port, now),
            old == null ? new TreeMap<>() : old.reported());
    var holding = PortFault.of(current, port);
    var recovered = same == null || current.tally().reset();
    ports.put(port.id(), report(current, holding, recovered, same == null ? "reboot" : "probe"));
  }

  /** Not there. It may have been given to a container, with its PCI device still on the node. */
  void missing(KnownPort old) {
    var missed = old.missed() + 1;
    if (!old.link().everUp() || missed < LOOKS) {
      ports.put(old.id(), old.withMissed(missed));
      return;
    }
    var there = readings.pci().contains(old.pci());
    var sure =
        !there
            && !readings.pci().isEmpty()
            && (old.bootId().equals(bootId) || old.reported().containsKey(PortFault.MISSING));
    var holding =
        new PortFault(
            PortFault.MISSING,
            sure ? FenceGuidance.ALWAYS : FenceGuidance.THRESHOLD,
            "the RDMA device is gone; its PCI device "
                + old.pci()
                + (there ? " is there" : " is not there either"));
    NavigableMap<String, Instant> reported = new TreeMap<>(old.reported());
    say(old, holding.code(), holding.fence(), holding.evidence(), reported);
    ports.put(old.id(), old.withMissed(missed).withReported(reported));
  }

  /** Clears the faults of a port that is not to be read. */
  void forget(KnownPort old) {
    old.reported().keySet().forEach(code -> clear(old, code, "probe"));
  }

  private KnownPort report(KnownPort port, List<PortFault> holding, boolean recovered, String by) {
    NavigableMap<String, Instant> reported = new TreeMap<>(port.reported());
    Set<String> codes = new TreeSet<>();
    for (var one : holding) {
      codes.add(one.code());
      say(port, one.code(), one.fence(), one.evidence(), reported);
    }
    port.tally()
        .news()
        .forEach(
            (code, evidence) -> {
              codes.add(code);
              observations.add(observation(port, code, FenceGuidance.NEVER, evidence));
              reported.put(code, now);
            });
    for (var code : port.reported().keySet()) {
      if (!codes.contains(code) && (recovered || !isCounter(code) || isCalm(port, code))) {
        clear(port, code, by);
        reported.remove(code);
      }
    }
    return port.withReported(reported);
  }

  private boolean isCalm(KnownPort port, String code) {
    return !now.isBefore(port.reported().getOrDefault(code, Instant.EPOCH).plus(CALM));
  }

  private static boolean isCounter(String code) {
    return Threshold.ALL.stream().anyMatch(one -> one.code().equals(code));
  }

  private void say(
      KnownPort port,
      String code,
      FenceGuidance fence,
      String evidence,
      NavigableMap<String, Instant> reported) {
    if (!now.isBefore(reported.getOrDefault(code, Instant.EPOCH).plus(REPEAT))) {
      observations.add(observation(port, code, fence, evidence));
      reported.put(code, now);
    }
  }

  private FaultObservation observation(
      KnownPort port, String code, FenceGuidance fence, String evidence) {
    var rail = known.of(port.device());
    return new FaultObservation(
        new NodeFaultSpec(
            node,
            ComponentType.NIC,
            port.id(),
            code,
            "nic",
            fence,
            RepairAction.INVESTIGATE.word(),
            bootId,
            now,
            rail.isEmpty() ? evidence : rail + ": " + evidence),
        FaultObservation.NO_SEQUENCE,
        now,
        rail,
        AffectedPod.UNKNOWN);
  }

  private void clear(KnownPort port, String code, String by) {
    clearances.add(
        new FaultResolution(
            node, ComponentType.NIC, port.id(), Set.of(code), by, now.minusMillis(1)));
  }

  /** What was decided. */
  NicDecision decision() {
    return new NicDecision(clearances, observations, new NicMemory(ports));
  }
}
