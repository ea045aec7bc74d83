package dev.rekindle.simulator.world;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.detect.fault.FaultState;
import dev.rekindle.detect.fault.FaultStore;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.SimEvent.Kind;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** NodeFaults as the agent of one node reads and writes them, by its calls. */
record AgentFaults(World world, AgentCalls calls) implements FaultStore {
  @Override
  public @Nullable NodeFault get(String name) {
    return calls.<@Nullable NodeFault>answered(
        () -> world.faults().find(name).map(AgentFaults::fault).orElse(null), /* write= */ false);
  }

  @Override
  public List<NodeFault> ofNode(String node) {
    return calls.answered(
        () -> {
          List<NodeFault> found = new ArrayList<>();
          for (FaultObject fault : world.faults().all()) {
            if (fault.labelled() && fault.state().spec().node().equals(node)) {
              found.add(fault(fault));
            }
          }
          return found;
        },
        /* write= */ false);
  }

  @Override
  public NodeFault create(NodeFault fault) {
    NodeFaultSpec spec = fault.getSpec();
    return calls.answered(
        () -> {
          Meta meta = Meta.draft("", fault.getMetadata().getName(), "");
          FaultObject created =
              world.faults().create(FaultObject.of(meta, new FaultState(spec, null), true));
          world.emit(
              Kind.NODE,
              spec.node(),
              "NodeFault " + spec.code() + " on " + created.view().component());
          return fault(created);
        },
        /* write= */ true);
  }

  @Override
  public NodeFault update(NodeFault fault) {
    NodeFaultSpec spec = fault.getSpec();
    return calls.answered(
        () ->
            fault(world.faults().update(name(fault), version(fault), stored -> stored.with(spec))),
        /* write= */ true);
  }

  @Override
  public NodeFault updateStatus(NodeFault fault) {
    NodeFaultStatus status = fault.getStatus();
    return calls.answered(
        () ->
            fault(
                world.faults().update(name(fault), version(fault), stored -> stored.with(status))),
        /* write= */ true);
  }

  private static String name(NodeFault fault) {
    return fault.getMetadata().getName();
  }

  private static long version(NodeFault fault) {
    return Long.parseLong(fault.getMetadata().getResourceVersion());
  }

  private static NodeFault fault(FaultObject stored) {
    NodeFault fault = new NodeFault();
    fault.setMetadata(
        new ObjectMetaBuilder()
            .withName(stored.meta().name())
            .withUid(stored.meta().uid())
            .withResourceVersion(Long.toString(stored.meta().version()))
            .build());
    fault.setSpec(stored.state().spec());
    fault.setStatus(stored.state().status());
    return fault;
  }
}
