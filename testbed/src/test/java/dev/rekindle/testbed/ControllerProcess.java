package dev.rekindle.testbed;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentStatus;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Our controllers, as pods and as processes of the host. One of them leads. */
final class ControllerProcess {
  static final String NAMESPACE = "rekindle-system";
  private static final String LEASE = "rekindle-controller";
  private static final String COMPONENT = "app.kubernetes.io/component";
  private static final String CONTAINER = "controller";
  private static final Duration START = Duration.ofMinutes(4);

  /** Of the testbed's values is a lease of 10 s. */
  private static final Duration LEAD = Duration.ofMinutes(1);

  private final KubernetesClient client;

  ControllerProcess(KubernetesClient client) {
    this.client = client;
  }

  List<Pod> pods() {
    return client.pods().inNamespace(NAMESPACE).withLabel(COMPONENT, CONTAINER).list().getItems();
  }

  /** The agent on a node, once it is Ready; on any where that is empty. */
  Pod agent(String node) {
    return Await.value(
        "a Ready agent on " + (node.isEmpty() ? "any node" : node),
        START,
        () ->
            client
                .pods()
                .inNamespace(NAMESPACE)
                .withLabel(COMPONENT, "agent")
                .list()
                .getItems()
                .stream()
                .filter(p -> node.isEmpty() || node.equals(p.getSpec().getNodeName()))
                .filter(ControllerProcess::ready)
                .findFirst());
  }

  /** The one that leads; waits while none does, as between two leaders. */
  Pod leader() {
    return Await.value("a controller that leads", LEAD, this::findLeader);
  }

  /** How often the lead has passed to another controller; 0 where there is no lease. */
  int leaderChanges() {
    Lease lease = client.leases().inNamespace(NAMESPACE).withName(LEASE).get();
    return lease == null || lease.getSpec().getLeaseTransitions() == null
        ? 0
        : lease.getSpec().getLeaseTransitions();
  }

  /** The one that leads, if any. */
  Optional<Pod> findLeader() {
    Lease lease = client.leases().inNamespace(NAMESPACE).withName(LEASE).get();
    String holder = lease == null ? "" : String.valueOf(lease.getSpec().getHolderIdentity());
    return pods().stream().filter(p -> p.getMetadata().getName().equals(holder)).findFirst();
  }

  Deployment deployment() {
    return client.apps().deployments().inNamespace(NAMESPACE).withName(LEASE).get();
  }

  /** Changes what they are made from, and waits until all of them are so, and one of them leads. */
  void replace(UnaryOperator<Deployment> change) {
    var handle = client.apps().deployments().inNamespace(NAMESPACE).withName(LEASE);
    handle.edit(change);
    // All at once, being in a hurry: else each waits for the one before it to be Ready.
    pods().forEach(p -> client.resource(p).withGracePeriod(1).delete());
    Await.until("controllers replaced", START, this::replaced, () -> pods().toString());
  }

  /** Has another made in the place of one, and waits until all are Ready and one of them leads. */
  void replace(Pod worn) {
    client.resource(worn).withGracePeriod(1).delete();
    Await.until(
        "a controller replaced",
        START,
        () -> pods().stream().noneMatch(p -> isSame(p, worn)) && replaced(),
        () -> pods().toString());
  }

  private static boolean isSame(Pod one, Pod other) {
    return one.getMetadata().getUid().equals(other.getMetadata().getUid());
  }

  private boolean replaced() {
    Deployment now = deployment();
    DeploymentStatus status = now.getStatus();
    return Objects.equals(status.getObservedGeneration(), now.getMetadata().getGeneration())
        && Objects.equals(status.getUpdatedReplicas(), now.getSpec().getReplicas())
        && Objects.equals(status.getReadyReplicas(), now.getSpec().getReplicas())
        && Objects.equals(status.getReplicas(), now.getSpec().getReplicas())
        && pods().stream().allMatch(ControllerProcess::ready)
        && findLeader().filter(ControllerProcess::ready).isPresent();
  }

  /** The processes of a controller, on the host. */
  static List<Long> processes(Pod pod) {
    return Host.processes(pod, CONTAINER);
  }

  int restarts() {
    return pods().stream().mapToInt(ControllerProcess::restarts).sum();
  }

  private static int restarts(Pod pod) {
    return pod.getStatus().getContainerStatuses().stream()
        .mapToInt(ContainerStatus::getRestartCount)
        .sum();
  }

  /** Deletes controllers that were killed; others start while the test ends. */
  void deleteWorn() {
    pods().stream().filter(p -> restarts(p) > 0).forEach(p -> client.resource(p).delete());
  }

  /**
   * Controllers that were never killed: the kubelet waits longer before every further restart of a
   * container.
   */
  void renew() {
    deleteWorn();
    Await.until(
        "fresh controllers, Ready, one of them leading",
        START,
        () ->
            pods().stream().allMatch(p -> ready(p) && restarts(p) == 0)
                && findLeader().filter(ControllerProcess::ready).isPresent(),
        () -> pods().toString());
  }

  static boolean ready(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() == null
        && Optional.ofNullable(pod.getStatus().getConditions()).orElse(List.of()).stream()
            .anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals("True"));
  }
}
