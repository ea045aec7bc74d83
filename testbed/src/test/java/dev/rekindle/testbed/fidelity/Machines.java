package dev.rekindle.testbed.fidelity;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;

/** What can be done to the nodes of a real cluster from below. */
public interface Machines {
  /** Stops a node with all that runs on it. */
  void freeze(String node);

  /** Stops the kubelet of a node; what runs on it runs on. */
  void freezeKubelet(String node);

  /** Resumes it. */
  void thaw(String node);

  /** Process ids of the training container of a pod. */
  List<Long> processes(Pod pod);

  /** The first process of the training container of a pod; the others go with it. */
  long firstProcess(Pod pod);

  /** Sends a signal, by its name without SIG. */
  void signal(String name, List<Long> processes);
}
