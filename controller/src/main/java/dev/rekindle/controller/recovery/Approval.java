package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.hold;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.ApiTime;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A person's approval of a recovery, and how long it is valid. The condition {@code Approved} has
 * the time at which the approval was first seen, and the generation of the object: an approval that
 * was withdrawn and given again has another generation.
 */
final class Approval {
  /** The type of the condition. */
  static final String TYPE = "Approved";

  private static final String EXPIRED = "Expired";

  private static final String HOW = "set spec.approved to true to let it go on";

  private static final String AGAIN =
      "approved, and nothing could be done in time; to approve again, set spec.approved to false,"
          + " then to true";

  /** Clocks of two leaders differ by less; an approval of later than that is of a wrong clock. */
  private static final Duration SKEW = Duration.ofMinutes(1);

  private Approval() {}

  /** The hold where a person has to approve, and has not, or too long ago. */
  static Optional<Decision> missing(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    if (!asks(job, policy)) {
      return Optional.empty();
    }
    if (!isGiven(s)) {
      return Optional.of(hold(s, HoldReason.AWAITING_APPROVAL, HOW, now));
    }
    return isExpired(s)
        ? Optional.of(hold(s, HoldReason.APPROVAL_EXPIRED, AGAIN, now))
        : Optional.empty();
  }

  /** Whether the job or its policy wants a person to be asked. */
  private static boolean asks(JobView job, Policy policy) {
    return policy.mode() == JobView.Mode.APPROVE
        || (job.optIn() instanceof JobView.OptIn.Yes(JobView.Mode mode)
            && mode == JobView.Mode.APPROVE);
  }

  private static boolean isGiven(RecoverySnapshot s) {
    return Boolean.TRUE.equals(s.recovery().spec().approved());
  }

  private static boolean isExpired(RecoverySnapshot s) {
    return ofThisGeneration(s).filter(c -> EXPIRED.equals(c.getReason())).isPresent();
  }

  /** The same with what is to be noted of the approval; empty where there is nothing new. */
  static Optional<RecoverySnapshot> noted(RecoverySnapshot s, Policy policy, Instant now) {
    JobView job = s.job();
    if (job == null || s.recovery().status() == null || !asks(job, policy)) {
      return Optional.empty();
    }
    if (!isGiven(s)) {
      return condition(status(s)).map(_ -> with(s, Optional.empty()));
    }
    if (isExpired(s)) {
      return Optional.empty();
    }
    Optional<Instant> given =
        ofThisGeneration(s)
            .map(c -> ApiTime.parse(c.getLastTransitionTime()))
            .filter(at -> !at.isAfter(now.plus(SKEW)));
    if (given.isPresent() && !MaintenanceHold.untouched(s, job)) {
      return Optional.empty();
    }
    Instant since = given.orElse(now);
    Instant end = until(since, policy);
    if (given.isPresent() && !now.isBefore(end)) {
      return Optional.of(
          with(s, Optional.of(condition(s, "False", EXPIRED, "given at " + since, now))));
    }
    String good = "good until " + end;
    // The policy may have been changed since it was given.
    return given.isPresent()
            && ofThisGeneration(s).map(c -> good.equals(c.getMessage())).orElse(false)
        ? Optional.empty()
        : Optional.of(with(s, Optional.of(condition(s, "True", TYPE, good, since))));
  }

  /** It outlives the next maintenance window: that is what it may have been given for. */
  private static Instant until(Instant given, Policy policy) {
    Instant until = given.plus(policy.approval());
    return policy.maintenance().endsAfter(given).filter(until::isBefore).orElse(until);
  }

  private static Optional<Condition> ofThisGeneration(RecoverySnapshot s) {
    return condition(status(s))
        .filter(
            c ->
                Objects.requireNonNullElse(c.getObservedGeneration(), 0L)
                    == s.recovery().generation());
  }

  private static Optional<Condition> condition(RecoveryStatus status) {
    return status.conditions().stream().filter(c -> TYPE.equals(c.getType())).findFirst();
  }

  private static Condition condition(
      RecoverySnapshot s, String word, String reason, String message, Instant now) {
    return new ConditionBuilder()
        .withType(TYPE)
        .withStatus(word)
        .withReason(reason)
        .withMessage(message)
        .withLastTransitionTime(now.toString())
        .withObservedGeneration(s.recovery().generation())
        .build();
  }

  private static RecoverySnapshot with(RecoverySnapshot s, Optional<Condition> approved) {
    List<Condition> conditions =
        new ArrayList<>(
            status(s).conditions().stream().filter(c -> !TYPE.equals(c.getType())).toList());
    approved.ifPresent(conditions::add);
    return s.with(status(s).withConditions(conditions));
  }
}
