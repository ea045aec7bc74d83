package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.PolicyObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 3: a job that its user suspended, or that did not opt in, is never touched; nor is a
 * node fenced for jobs if no job on it opted in. Bound: a decision from before the user's change
 * may take effect for {@link #UNDER_WAY}, and a job that we hold suspended or frozen may still be
 * released. Why: the annotation is the only consent of a user.
 */
final class Consent extends Check {
  private final Policy policy;
  private final Map<String, Instant> optedOut = new HashMap<>();
  private final Map<String, Instant> suspendedByUser = new HashMap<>();

  /** When each policy that is not there was deleted. */
  private final Map<String, Instant> policyGone = new HashMap<>();

  /** Until when each job that is gone let us act, by its UID. */
  private final Map<String, Instant> wantedUntil = new HashMap<>();

  /** When a pod of a job that opted in was last seen to change on a node. */
  private final Map<String, Instant> carried = new HashMap<>();

  Consent(World world, Invariants all, Policy policy) {
    super(world, all, Invariant.ONLY_OPTED_IN);
    this.policy = policy;
    world.jobs().watch(this::jobChanged);
    world.pods().watch(this::podChanged);
    world.policies().watch(this::policyChanged);
  }

  private void jobChanged(Change<JobObject> change) {
    JobObject job = change.object();
    String uid = job.meta().uid();
    if (change.after() == null) {
      // Until everybody has heard that it is gone, its pods are those of a job that opted in, and
      // of one that did not want us any more, until everybody has heard that.
      Instant wanted = automatic(job) ? now() : optedOut.getOrDefault(uid, Instant.MIN);
      wantedUntil.put(uid, wanted);
      world.podsOf(job).stream()
          .filter(pod -> !pod.node().isEmpty())
          .forEach(pod -> carried.merge(pod.node(), wanted, Consent::later));
    }
    consents(job, change.before() == null ? neverAllowed(job) : now());
    if (job.suspend() && job.suspendedBy().isEmpty()) {
      suspendedByUser.putIfAbsent(uid, now());
    } else {
      suspendedByUser.remove(uid);
    }
  }

  /**
   * Since when a job that is new does not let us act, where it does not: from the first, unless the
   * policy under which it would was deleted before, which not everybody may have heard yet.
   */
  private Instant neverAllowed(JobObject job) {
    return wants(job) ? policyGone.getOrDefault(job.policy(), Instant.MIN) : Instant.MIN;
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  private void consents(JobObject job, Instant now) {
    if (automatic(job)) {
      optedOut.remove(job.meta().uid());
    } else {
      optedOut.putIfAbsent(job.meta().uid(), now);
    }
  }

  private void policyChanged(Change<PolicyObject> change) {
    if (change.after() == null) {
      policyGone.put(change.key(), now());
    } else {
      policyGone.remove(change.key());
    }
    if (change.before() == null || change.after() == null) {
      world.jobs().all().forEach(job -> consents(job, now()));
    }
  }

  private void podChanged(Change<PodObject> change) {
    PodObject pod = change.object();
    if (pod.node().isEmpty()) {
      return;
    }
    Instant wanted = wantedUntil.get(pod.meta().owner());
    if (wantsUs(pod)) {
      carried.put(pod.node(), now());
    } else if (wanted != null) {
      // Its node may be chosen after its job was deleted.
      carried.merge(pod.node(), wanted, Consent::later);
    }
  }

  /**
   * Whether the job lets us act. One that names a policy that does not exist, or that another
   * component answers for, is as one that did not opt in.
   */
  boolean automatic(JobObject job) {
    return wants(job) && world.policies().find(job.policy()).isPresent();
  }

  private boolean wants(JobObject job) {
    return job.notOurs().isEmpty()
        && policy.mode() != Mode.OBSERVE
        && job.optIn() instanceof OptIn.Yes(Mode mode)
        && mode != Mode.OBSERVE;
  }

  @Override
  public void freezes(OrderObject order, PodObject pod) {
    if (!order.spec().jobUid().equals(pod.meta().owner())) {
      broken(
          "order %s freezes pod %s of another job"
              .formatted(order.meta().name(), pod.meta().name()));
    }
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    if (before == null) {
      jobOf(after).ifPresent(job -> touches(job, "order " + after.meta().name()));
    }
  }

  @Override
  public void opened(RecoveryObject recovery) {
    jobOf(recovery)
        .ifPresent(job -> touches(job, "recovery " + recovery.meta().name() + " opened"));
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (!verb.equals("resume")) {
      touches(before, verb);
    }
    if (!before.suspend() && after.suspend() && !(before.optIn() instanceof OptIn.Yes)) {
      // The write is made over the version that was read, and its reader sees the annotation.
      broken("%s, though job %s has opted out".formatted(verb, before.key()));
    }
  }

  @Override
  public void deleted(PodObject pod, Duration grace) {
    jobOf(pod).ifPresent(job -> touches(job, "deletion of pod " + pod.meta().name()));
  }

  private void touches(JobObject job, String how) {
    String uid = job.meta().uid();
    boolean stillOurs =
        (job.suspend() && !job.suspendedBy().isEmpty())
            || (!how.startsWith("order") && orderOf(job).isPresent());
    Instant out = optedOut.get(uid);
    if (out != null && (out.equals(Instant.MIN) || (longAgo(out) && !stillOurs))) {
      broken("%s, though job %s did not opt in".formatted(how, job.key()));
    }
    if (longAgo(suspendedByUser.get(uid))) {
      broken("%s, though the user suspended job %s".formatted(how, job.key()));
    }
  }

  @Override
  public void cordoned(NodeObject before, String by) {
    String name = before.meta().name();
    if (by.startsWith("fault/")
        && policy.fenceScope() == Policy.FenceScope.JOB_NODES
        && !carries(name)
        && (!carried.containsKey(name) || longAgo(carried.get(name)))) {
      broken("%s fences node %s, which carries no job that opted in".formatted(by, name));
    }
  }

  /** Whether pods of a job that opted in are on the node. */
  private boolean carries(String node) {
    return world.pods().list("spec.nodeName", node).stream().anyMatch(this::wantsUs);
  }

  private boolean wantsUs(PodObject pod) {
    return world
        .jobs()
        .find(pod.job().toString())
        .filter(job -> automatic(job) || !longAgo(optedOut.get(job.meta().uid())))
        .isPresent();
  }
}
