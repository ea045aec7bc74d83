package dev.rekindle.agent.faults;

import dev.rekindle.api.NodeFault;
import dev.rekindle.detect.fault.FaultName;
import dev.rekindle.detect.fault.FaultStore;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** NodeFaults of the cluster that the client is connected to. */
public record ApiFaults(KubernetesClient client) implements FaultStore {
  @Override
  public @Nullable NodeFault get(String name) {
    return client.resources(NodeFault.class).withName(name).get();
  }

  @Override
  public List<NodeFault> ofNode(String node) {
    return client
        .resources(NodeFault.class)
        .withLabel(FaultName.NODE_LABEL, FaultName.label(node))
        .list()
        .getItems();
  }

  @Override
  public NodeFault create(NodeFault fault) {
    return client.resource(fault).create();
  }

  @Override
  public NodeFault update(NodeFault fault) {
    return client.resource(fault).update();
  }

  @Override
  public NodeFault updateStatus(NodeFault fault) {
    return client.resource(fault).updateStatus();
  }
}
