package dev.rekindle.testbed.fidelity;

import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One version of one object, as a watch shows it.
 *
 * @param at when the watch showed it
 * @param version resource version
 * @param name kind and name, without what differs from run to run
 * @param uid UID
 * @param state what the controller can see of it, in words
 * @param pod the pod, when it is one
 * @param job the job, when it is one
 * @param gone whether this is the news of its end
 */
record ObjectVersion(
    Instant at,
    long version,
    String name,
    String uid,
    String state,
    @Nullable PodView pod,
    @Nullable JobView job,
    boolean gone) {

  static ObjectVersion of(Instant at, long version, String job, PodView pod, boolean gone) {
    String name = "pod " + job + "-" + rank(pod);
    return new ObjectVersion(at, version, name, pod.uid(), state(pod), pod, null, gone);
  }

  static ObjectVersion of(Instant at, long version, String name, JobView job, boolean gone) {
    return new ObjectVersion(at, version, "job " + name, job.uid(), state(job), null, job, gone);
  }

  static ObjectVersion of(Instant at, long version, String name, NodeView node) {
    return new ObjectVersion(at, version, "node " + name, name, state(node), null, null, false);
  }

  /** Role and index, such as worker-0. */
  static String rank(PodView pod) {
    return pod.role() + "-" + pod.index();
  }

  private static String state(PodView pod) {
    StringBuilder text = new StringBuilder(pod.phase().name().toLowerCase(Locale.ROOT));
    if (pod.phase() == PodView.Phase.PENDING) {
      text.append(pod.node().isEmpty() ? " without a node" : " on a node");
    }
    if (pod.ready()) {
      text.append(", ready");
    }
    if (pod.restarts() > 0) {
      text.append(", restarts ").append(pod.restarts());
    }
    if (!pod.attempt().isEmpty()) {
      text.append(", attempt ").append(pod.attempt());
    }
    // Of a container that runs again a kubelet usually reports the last end, but not always.
    boolean runsAgain = pod.ready() && pod.restarts() > 0;
    if (pod.lastExit() != null && !runsAgain) {
      text.append(", has exited");
    }
    // An end that a deletion brought is none to report; a forced removal hides when that was.
    boolean removed = Long.valueOf(0).equals(pod.deletionGraceSeconds());
    if (pod.failure() != null && !removed && !runsAgain) {
      text.append(", failure ").append(pod.failure().kind());
    }
    if (pod.terminating()) {
      text.append(", deleted with ").append(pod.deletionGraceSeconds()).append(" s");
    }
    return text.toString();
  }

  private static String state(JobView job) {
    StringBuilder text = new StringBuilder(job.suspended() ? "suspend" : "run");
    if (!job.attempt().isEmpty()) {
      text.append(", attempt ").append(job.attempt());
    }
    if (job.suspensionSeen()) {
      text.append(", Suspended");
    }
    if (job.finish() != JobView.Finish.NOT_FINISHED) {
      text.append(", ").append(job.finish());
    }
    return text.toString();
  }

  private static String state(NodeView node) {
    return node.readiness().toString();
  }
}
