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

/**
 * What follows from a poll of the ports and what was remembered before. What holds is reported
 * again and again, so that the fault stays one incident; when it is gone, that is reported.
 */
final class NicEvaluator {
  static final String DOWN = "NIC-PORT-DOWN";
  static final String FLAPPING = "NIC-PORT-FLAPPING";
  static final String SLOW = "NIC-RATE-DEGRADED";
  static final String ERRORS = "NIC-PORT-ERRORS";
  static final String MISSING = "NIC-DEVICE-MISSING";

  /** Polls after which a device that is not there is missing. */
  static final int LOOKS = 3;

  /** Within the silence of three minutes that would end an incident. */
  static final Duration REPEAT = Duration.ofMinutes(2);

  /** How long a counter must keep below its threshold. */
  static final Duration CALM = Duration.ofHours(1);

  private final String node;
  private final String bootId;
  private final Map<String, Integer> rails;

  NicEvaluator(String node, String bootId, Map<String, Integer> rails) {
    this.node = node;
    this.bootId = bootId;
    this.rails = Map.copyOf(rails);
  }

  /** A fault that holds. */
  private record Holding(String code, FenceGuidance fence, String evidence) {}

  /** Decides. */
  NicDecision decide(NicMemory before, NicReadings readings, Instant now) {
    var decided = new Decided(before, readings, now);
    Set<String> there = new TreeSet<>();
    for (var port : readings.ports()) {
      there.add(port.id());
      decided.port(port);
    }
    for (var known : before.ports().values()) {
      if (readings.excluded().contains(known.device())) {
        decided.forget(known);
      } else if (!there.contains(known.id())) {
        decided.missing(known);
      }
    }
    return decided.decision();
  }

  /** One decision on its way. */
  private final class Decided {
    private final NicMemory before;
    private final NicReadings readings;
    private final Instant now;
    private final Rails known;
    private final List<FaultResolution> clearances = new ArrayList<>();
    private final List<FaultObservation> observations = new ArrayList<>();
    private final NavigableMap<String, KnownPort> ports = new TreeMap<>();

    Decided(NicMemory before, NicReadings readings, Instant now) {
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
      var holding = holding(current, port);
      var recovered = same == null || current.tally().reset();
      ports.put(port.id(), report(current, holding, recovered, same == null ? "reboot" : "probe"));
    }

    private static List<Holding> holding(KnownPort port, PortReading reading) {
      List<Holding> all = new ArrayList<>();
      var link = port.link();
      if (link.dropped()) {
        all.add(
            new Holding(
                DOWN,
                FenceGuidance.ALWAYS,
                link.downSince() == null
                    ? "up again since " + link.upSince() + " after it was down; " + reading.shown()
                    : "down since " + link.downSince() + "; " + reading.shown()));
      }
      if (link.flapping()) {
        all.add(
            new Holding(
                FLAPPING,
                FenceGuidance.THRESHOLD,
                "went down and came back "
                    + link.flaps().size()
                    + " times in 12 h; "
                    + reading.shown()));
      }
      if (link.degraded()) {
        all.add(
            new Holding(
                SLOW,
                FenceGuidance.THRESHOLD,
                "runs at " + link.rate() + " Gb/s and has run at " + link.bestRate()));
      }
      if (port.tally().exceeded().size() >= Tally.MANY) {
        all.add(
            new Holding(
                ERRORS,
                FenceGuidance.THRESHOLD,
                "errors above a threshold at "
                    + port.tally().exceeded().size()
                    + " polls of the last hour"));
      }
      return all;
    }

    /** Not there. It may have been given to a container, with its PCI device still on the node. */
    void missing(KnownPort old) {
      var missed = old.missed() + 1;
      if (!old.link().everUp() || missed < LOOKS) {
        ports.put(old.id(), missing(old, missed, old.reported()));
        return;
      }
      var there = readings.pci().contains(old.pci());
      var sure =
          !there
              && !readings.pci().isEmpty()
              && (old.bootId().equals(bootId) || old.reported().containsKey(MISSING));
      var holding =
          new Holding(
              MISSING,
              sure ? FenceGuidance.ALWAYS : FenceGuidance.THRESHOLD,
              "the RDMA device is gone; its PCI device "
                  + old.pci()
                  + (there ? " is there" : " is not there either"));
      NavigableMap<String, Instant> reported = new TreeMap<>(old.reported());
      say(old, holding.code(), holding.fence(), holding.evidence(), reported);
      ports.put(old.id(), missing(old, missed, reported));
    }

    private static KnownPort missing(
        KnownPort old, int missed, NavigableMap<String, Instant> reported) {
      return new KnownPort(
          old.id(),
          old.device(),
          old.pci(),
          old.bootId(),
          missed,
          old.link(),
          old.tally(),
          reported);
    }

    void forget(KnownPort old) {
      old.reported().keySet().forEach(code -> clear(old, code, "probe"));
    }

    private KnownPort report(KnownPort port, List<Holding> holding, boolean recovered, String by) {
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
      return new KnownPort(
          port.id(),
          port.device(),
          port.pci(),
          port.bootId(),
          port.missed(),
          port.link(),
          port.tally(),
          reported);
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

    NicDecision decision() {
      return new NicDecision(clearances, observations, new NicMemory(ports));
    }
  }
}
