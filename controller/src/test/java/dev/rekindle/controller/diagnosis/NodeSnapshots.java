package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.diagnosis.NodeSnapshot.Tenant;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FaultView.Incident;
import dev.rekindle.controller.model.FaultViewBuilder;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A node, its faults, and what is decided on them. */
final class NodeSnapshots {
  static final Policy POLICY = Policy.DEFAULT;
  static final NodeView FREE = node("n-1");
  static final NodeView OURS = node("n-1", Readiness.READY, T0, true, "fault/n-1-XID-79");
  static final Instant NOW = T0.plus(Duration.ofHours(2));

  private NodeSnapshots() {}

  static NodeVerdict decide(NodeView n, List<FaultView> faults, Instant now) {
    NodeSnapshot s =
        new NodeSnapshot(n, faults, List.of(), List.of(new Tenant(job().view(), POLICY)));
    return NodeVerdicts.decide(s, POLICY, now);
  }

  static Fault xid79() {
    return new Fault(Given.fault("n-1", "XID-79", FenceGuidance.ALWAYS));
  }

  static Fault xid31(String... jobs) {
    Fault fault =
        new Fault(Given.fault("n-1", "XID-31", FenceGuidance.THRESHOLD)).action("restart_job");
    for (int i = 0; i < jobs.length; i++) {
      fault = fault.incident(T0.plusSeconds(600L * i), jobs[i], "");
    }
    return fault;
  }

  static NodeView booted(NodeView n, String boot, Readiness readiness, Instant since) {
    return booted(n, boot, readiness, since, null);
  }

  static NodeView booted(
      NodeView n, String boot, Readiness readiness, Instant since, @Nullable Instant bootSince) {
    return n.with(
        b -> b.readiness(readiness).readinessSince(since).bootId(boot).bootSince(bootSince));
  }

  /** A fault under change; each change makes another one. */
  record Fault(FaultView f) {
    FaultView build() {
      return f;
    }

    Fault code(String code) {
      return with(b -> b.code(code));
    }

    Fault component(String component) {
      return with(b -> b.component(component));
    }

    Fault on(String node) {
      return with(b -> b.node(node));
    }

    Fault guidance(FenceGuidance fence) {
      return with(b -> b.fence(fence));
    }

    Fault detector(String detector) {
      return with(b -> b.detector(detector));
    }

    Fault action(String action) {
      return with(b -> b.action(action));
    }

    Fault clearedBy(String by) {
      return with(b -> b.active(false).clearedBy(by));
    }

    Fault inBoot(String boot) {
      return incidents(new Incident(T0, T0, 1, "", "", "", "", boot));
    }

    Fault incident(Instant at, String job, String unit) {
      return incidents(
          new Incident(
              at, at, 1, unit, "team", "pod", job + "-uid", "boot-1", job, "", "", List.of()));
    }

    Fault incidents(Incident next) {
      List<Incident> all = new ArrayList<>(f.incidents());
      all.add(next);
      return with(b -> b.count(all.size()).bootId(next.bootId()).incidents(all));
    }

    private Fault with(Consumer<FaultViewBuilder> change) {
      FaultView next = f.with(change);
      return new Fault(next.withName(next.node() + "-" + next.code()));
    }
  }
}
