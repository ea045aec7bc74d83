package dev.rekindle.testbed.fidelity;

import dev.rekindle.controller.model.JobView.RestartPolicy;

/**
 * A job of one master and some workers that do nothing but run.
 *
 * @param workers how many
 * @param restart restart policy of every replica
 * @param graceSeconds grace period that the pods ask for
 * @param gpus GPUs that each pod asks for
 * @param place nodes that the pods may run on
 */
record JobWish(int workers, RestartPolicy restart, int graceSeconds, int gpus, Place place) {

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
  static JobWish pair(int graceSeconds) {
    return new JobWish(1, RestartPolicy.ON_FAILURE, graceSeconds, 0, Place.ANYWHERE);
  }

  /** A master alone. */
  static JobWish single(int graceSeconds) {
    return pair(graceSeconds).workers(0);
  }

  JobWish workers(int count) {
    return new JobWish(count, restart, graceSeconds, gpus, place);
  }

  JobWish under(RestartPolicy policy) {
    return new JobWish(workers, policy, graceSeconds, gpus, place);
  }

  JobWish gpus(int count) {
    return new JobWish(workers, restart, graceSeconds, count, place);
  }

  JobWish at(Place where) {
    return new JobWish(workers, restart, graceSeconds, gpus, where);
  }

  /** Pods of the gang. */
  int ranks() {
    return workers + 1;
  }
}
