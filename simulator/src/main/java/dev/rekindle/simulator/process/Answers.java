package dev.rekindle.simulator.process;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the API server answers instead of doing what it is asked: quotas, webhooks, limits and
 * failure of its own. For a while or permanently, for some calls, for all jobs or for one.
 */
public final class Answers {
  /** What the controller requests: one for each method of its gateway that calls the API server. */
  public enum Call {
    OPEN,
    SAVE,
    REMOVE,
    CORDON(true),
    RELEASE(true),
    RECORD_INCIDENT(true),
    RECORD_STALL(true),
    MARK_LEMON(true),
    SUSPEND,
    REVIVE,
    RESUME,
    HOLD_QUEUE,
    RELEASE_QUEUE,
    UNMARK_WORKLOAD,
    REQUEUE,
    CLEAR_RESUME,
    PLAN_NODES,
    INJECT_RESUME,
    DELETE_POD,
    ADD_SPARE,
    REMOVE_SPARE,
    ORDER,
    WITHDRAW,
    EXISTS,
    LIVE_PODS,
    START_INSPECTOR,
    INSPECT,
    STOP_INSPECTOR,
    START_TRACKER,
    TRACKER,
    RAISE(true),
    CLEAR(true),
    FORGET(true),
    SCORE(true),
    RECORD_EVENT,
    VOLUME;

    private final boolean ofNodes;

    Call() {
      this(false);
    }

    Call(boolean ofNodes) {
      this.ofNodes = ofNodes;
    }

    /** Whether it is about a node, a fault or a policy, and not about one job. */
    public boolean ofNodes() {
      return ofNodes;
    }
  }

  private static final int TOO_MANY_REQUESTS = 429;
  private static final int INTERNAL_ERROR = 500;

  /**
   * One such answer.
   *
   * @param calls to which calls it is given
   * @param job for which job, absent for all and for nodes
   * @param status HTTP status
   * @param text what the server says
   * @param retryAfter for how long it asks to be left alone, zero where it does not
   * @param until when it ends, absent for never
   */
  public record Answer(
      Set<Call> calls,
      @Nullable JobKey job,
      int status,
      String text,
      Duration retryAfter,
      @Nullable Instant until) {
    CallException exception() {
      return status == TOO_MANY_REQUESTS || status >= INTERNAL_ERROR
          ? new UnavailableException(status, text, retryAfter)
          : new RefusedException(status, text);
    }

    private boolean isTo(Call call, @Nullable JobKey of, Instant now) {
      return (until == null || now.isBefore(until))
          && calls.contains(call)
          && (job == null || job.equals(of));
    }
  }

  private final List<Answer> answers = new ArrayList<>();

  /** From now on this is answered. */
  public void add(Answer answer) {
    answers.add(answer);
  }

  /** Ends one, permanent or not. */
  public void remove(Answer answer) {
    answers.remove(answer);
  }

  /** Ends all temporary answers. Permanent ones stay. */
  public void calm() {
    answers.removeIf(answer -> answer.until() != null);
  }

  /** The permanent answers about that job, or about objects that it needs. */
  public List<Answer> forGood(JobKey job) {
    return answers.stream()
        .filter(a -> a.until() == null && (a.job() == null || job.equals(a.job())))
        .toList();
  }

  /** Whether that call about nodes is refused permanently. */
  public boolean refusedForGood(Call call) {
    return answers.stream()
        .anyMatch(a -> a.until() == null && a.job() == null && a.calls().contains(call));
  }

  /** Whether that call is refused permanently for the job. */
  public boolean refusedForGood(Call call, JobKey job) {
    return forGood(job).stream().anyMatch(a -> a.calls().contains(call));
  }

  /** Whether that call is not done at that moment, for whatever reason. */
  public boolean refuses(Call call, @Nullable JobKey job, Instant now) {
    return to(call, job, now).isPresent();
  }

  /** The answer to that call, where it is not done. */
  Optional<Answer> to(Call call, @Nullable JobKey job, Instant now) {
    for (Answer answer : answers) {
      if (answer.isTo(call, job, now)) {
        return Optional.of(answer);
      }
    }
    return Optional.empty();
  }
}
