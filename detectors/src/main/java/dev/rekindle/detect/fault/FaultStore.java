package dev.rekindle.detect.fault;

import dev.rekindle.api.NodeFault;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** NodeFaults as the API server stores them. Each call throws when it is not answered, or no. */
public interface FaultStore {
  /**
   * The fault of that name; null when there is none.
   *
   * @throws KubernetesClientException when it cannot be read
   */
  @Nullable NodeFault get(String name);

  /**
   * Those that carry the label of that node.
   *
   * @throws KubernetesClientException when they cannot be read
   */
  List<NodeFault> ofNode(String node);

  /**
   * Creates it; its status is not stored.
   *
   * @throws KubernetesClientException when it is not accepted
   */
  NodeFault create(NodeFault fault);

  /**
   * Writes what is not its status, if it was not written since it was read.
   *
   * @throws KubernetesClientException when it is not accepted
   */
  NodeFault update(NodeFault fault);

  /**
   * Writes its status, if it was not written since it was read.
   *
   * @throws KubernetesClientException when it is not accepted
   */
  NodeFault updateStatus(NodeFault fault);
}
