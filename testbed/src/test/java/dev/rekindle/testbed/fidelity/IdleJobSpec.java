package dev.rekindle.testbed.fidelity;

import dev.rekindle.controller.model.JobView.RestartPolicy;

/**
 * A job of one master and some workers that do nothing but run.
 *
 * @param workers how many
 * @param restart restart policy of every replica
 * @param graceSeconds grace period that the pods request
 * @param gpus GPUs that each pod requests
 * @param place nodes that the pods may run on
 */
record IdleJobSpec(int workers, RestartPolicy restart, int graceSeconds, int gpus, Place place) {

  /** Nodes that pods may run on. */
  enum Place {
    /** Any but the lone one. */
    ANYWHERE,
    /** Only the one node that belongs to this scenario alone. */
    LONE,
    /** No node matches. */
    NOWHERE
  }

  /** A master and a worker, under OnFailure. */
  static IdleJobSpec pair(int graceSeconds) {
    return new IdleJobSpec(1, RestartPolicy.ON_FAILURE, graceSeconds, 0, Place.ANYWHERE);
  }

  /** A master alone. */
  static IdleJobSpec single(int graceSeconds) {
    return pair(graceSeconds).workers(0);
  }

  IdleJobSpec workers(int count) {
    return new IdleJobSpec(count, restart, graceSeconds, gpus, place);
  }

  IdleJobSpec under(RestartPolicy policy) {
    return new IdleJobSpec(workers, policy, graceSeconds, gpus, place);
  }

  IdleJobSpec gpus(int count) {
    return new IdleJobSpec(workers, restart, graceSeconds, count, place);
  }

  IdleJobSpec at(Place where) {
    return new IdleJobSpec(workers, restart, graceSeconds, gpus, where);
  }

  /** Pods of the gang. */
  int ranks() {
    return workers + 1;
  }
}
