package dev.rekindle.detect.weigh;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.Incidents;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A fault under change, whose incidents are made as the agent makes them. */
final class Logged implements Fault {
  static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

  private final String node;
  private final String gpu;
  private final String code;
  private FenceGuidance fence = FenceGuidance.THRESHOLD;
  private String boot = "boot-1";
  private String detector = "kmsg";
  private List<NodeFaultStatus.Incident> incidents = List.of();

  private Logged(String node, String gpu, String code) {
    this.node = node;
    this.gpu = gpu;
    this.code = code;
  }

  static Logged fault(String node, String gpu, String code) {
    return new Logged(node, gpu, code);
  }

  static Logged fault(String code) {
    return fault("n-1", "0000:3b:00", code);
  }

  /** Of a training pod. */
  static AffectedPod pod(String namespace, String owner, String job) {
    return new AffectedPod(namespace, job + "-worker-0", job + "-uid", owner, "python");
  }

  static AffectedPod pod(String owner) {
    return pod("team", owner, owner);
  }

  static AffectedPod process(String name) {
    return AffectedPod.UNKNOWN.as(name);
  }

  Logged hit(Duration after, AffectedPod victim, String unit, String mark) {
    var time = T0.plus(after);
    var spec =
        new NodeFaultSpec(
            node, ComponentType.GPU, gpu, code, detector, fence, "", boot, time, "line");
    incidents =
        Incidents.merge(
            incidents,
            Incidents.of(
                new FaultObservation(
                    spec, FaultObservation.NO_SEQUENCE, time, unit, victim, mark)));
    return this;
  }

  Logged hit(int minutes, AffectedPod victim, String unit) {
    return hit(Duration.ofMinutes(minutes), victim, unit, "");
  }

  Logged hit(int minutes, AffectedPod victim) {
    return hit(minutes, victim, "");
  }

  Logged inBoot(String id) {
    boot = id;
    return this;
  }

  Logged by(String other) {
    detector = other;
    return this;
  }

  Logged fencing(FenceGuidance guidance) {
    fence = guidance;
    return this;
  }

  @Override
  public String node() {
    return node;
  }

  @Override
  public String component() {
    return "GPU " + gpu;
  }

  @Override
  public String code() {
    return code;
  }

  @Override
  public FenceGuidance fence() {
    return fence;
  }

  @Override
  public boolean active() {
    return true;
  }

  @Override
  public String detector() {
    return detector;
  }

  @Override
  public String action() {
    return "restart_job";
  }

  @Override
  public String bootId() {
    return boot;
  }

  @Override
  public List<? extends Incident> incidents() {
    return incidents.stream().map(StoredIncident::new).toList();
  }

  @Override
  public String toString() {
    return node + " " + component() + " " + code + " " + incidents;
  }
}
