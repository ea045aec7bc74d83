package dev.rekindle.controller.policy;

import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.port.ClusterState;
import java.util.List;
import java.util.Optional;

/**
 * A job under its policy.
 *
 * @param job the job; its owner's request goes no further than the policy lets it, and a job that
 *     names a policy that does not exist is not to be touched
 * @param policy what holds for it
 * @param note what people should know about that beside the policy itself, else empty
 */
public record RuledJob(JobView job, Policy policy, String note) {
  /** The policy that is asked about nodes and bounds all others. */
  public static final String DEFAULT = "default";

  private static final int MOST_NAMED = 8;

  /**
   * What holds while no policy {@link #DEFAULT} is seen, since its kind is not installed or
   * somebody deleted it: nothing is done, and no lemon is released, as the policy may have wanted
   * them fenced.
   */
  static final Policy UNSEEN =
      Policy.DEFAULT.with(b -> b.mode(JobView.Mode.OBSERVE).fenceLemons(true));

  private static final String UNSEEN_NOTE =
      "there is no usable RecoveryPolicy " + DEFAULT + ", so everything is only observed";

  /** The policy that is asked about nodes. */
  public static Policy ofNodes(ClusterState state) {
    return state.policy(DEFAULT).orElse(UNSEEN);
  }

  /** The job under the policy that it names, as last seen. */
  public static RuledJob of(ClusterState state, JobView job) {
    Optional<Policy> named = state.policy(job.policy());
    // Named only where the job's own is missing; requested in every reconcile of every job.
    List<String> names = named.isPresent() ? List.of() : state.policies();
    return of(job, state.policy(DEFAULT), named, names);
  }

  /**
   * The job under its policy. Pure, and the same once more for a job that is already ruled.
   *
   * @param bound the policy {@link #DEFAULT}, if there is one
   * @param named the policy that the job names, if there is one
   * @param names of all policies
   */
  public static RuledJob of(
      JobView job, Optional<Policy> bound, Optional<Policy> named, List<String> names) {
    String note = bound.isPresent() ? "" : UNSEEN_NOTE;
    Policy most = bound.orElse(UNSEEN);
    if (job.policy().equals(DEFAULT)) {
      return under(job, most, note);
    }
    if (named.isEmpty()) {
      OptIn optIn =
          job.optIn() instanceof OptIn.Yes
              ? new OptIn.UnknownPolicy(unknown(job.policy(), names))
              : job.optIn();
      return new RuledJob(job.withOptIn(optIn), most, note);
    }
    boolean granted = bound.isPresent() && named.get().namespaces().contains(job.key().namespace());
    // What others' nodes are spared is not for a policy of some namespaces to say, nor whether all
    // pauses.
    Policy policy =
        granted
            ? named
                .get()
                .with(
                    b ->
                        b.maxFencedPerNamespace(most.maxFencedPerNamespace())
                            .paused(named.get().paused() || most.paused()))
            : EffectivePolicy.within(named.get(), most);
    return under(job, policy, note);
  }

  /** What is said about the job, with the note where the policy is why nothing is done. */
  public String noted(Reason reason, String message) {
    return reason == Reason.WOULD_RECOVER && !note.isEmpty() ? message + "; " + note : message;
  }

  private static RuledJob under(JobView job, Policy policy, String note) {
    JobView ruled =
        job.optIn() instanceof OptIn.Yes(JobView.Mode mode) && mode.compareTo(policy.mode()) > 0
            ? job.withOptIn(new OptIn.Yes(policy.mode()))
            : job;
    return new RuledJob(ruled, policy, note);
  }

  private static String unknown(String name, List<String> names) {
    if (names.contains(name)) {
      return "RecoveryPolicy %s is not accepted: see its condition Accepted".formatted(name);
    }
    List<String> some = names.stream().sorted().limit(MOST_NAMED).toList();
    String others =
        names.size() > some.size() ? ", and %d more".formatted(names.size() - some.size()) : "";
    return "there is no RecoveryPolicy %s; there %s"
        .formatted(
            name, some.isEmpty() ? "is none at all" : "are: " + String.join(", ", some) + others);
  }
}
