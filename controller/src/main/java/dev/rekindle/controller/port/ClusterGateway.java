package dev.rekindle.controller.port;

import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.model.BoundVolume;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.GivenCheckpoint;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.controller.model.SpareOrder;
import dev.rekindle.controller.model.TrackerOrder;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.detect.fault.FaultObservation;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * The write side, and the few reads that must not be stale. Every call is idempotent: repeated
 * after a crash it changes nothing further. Every call is a remote one.
 *
 * <p>Errors: {@link StaleException} when the object changed under us or is no longer what the
 * caller took it for (reconcile again); {@link RefusedException} when the API server has said no:
 * asked the same again it will say no again; {@link UnavailableException} when there was no answer,
 * or one that asks to come back later.
 */
public interface ClusterGateway {
  /** The object is not what the caller took it for. */
  class StaleException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StaleException(String message) {
      super(message);
    }
  }

  /** The API server did not do what it was asked. */
  abstract sealed class CallException extends RuntimeException
      permits RefusedException, UnavailableException {
    private static final long serialVersionUID = 1L;
    private static final int MAX_TEXT = 512;

    private final int status;

    private CallException(int status, String text) {
      super(oneLine(text));
      this.status = status;
    }

    /** A webhook or a quota may write what it likes into its answer. */
    private static String oneLine(String text) {
      String line = text.replaceAll("[\\p{Cc}\\s]+", " ").strip();
      return line.length() <= MAX_TEXT ? line : line.substring(0, MAX_TEXT - 3) + "...";
    }

    /** The HTTP status, 0 where no answer came. */
    public int status() {
      return status;
    }

    /** The HTTP status for people and metrics, or that there was none. */
    public String answer() {
      return status == 0 ? "no answer" : Integer.toString(status);
    }

    /** The API server's own words, on one line of at most 512 characters. */
    public String text() {
      return String.valueOf(getMessage());
    }
  }

  /**
   * The answer is no: 400, 401, 403 (RBAC, a quota, a webhook), 404 where the kind or the namespace
   * is missing, 413, 422. Never 409, which is a {@link StaleException}.
   */
  final class RefusedException extends CallException {
    private static final long serialVersionUID = 1L;

    /**
     * @param text the API server's own words
     */
    public RefusedException(int status, String text) {
      super(status, text);
    }
  }

  /** No answer came, or the API server, or a webhook of its own, fails: 429 and 5xx. */
  final class UnavailableException extends CallException {
    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;

    /**
     * @param status 0 where no answer came
     * @param text the API server's own words
     * @param retryAfter for how long it asks to be left alone; zero where it does not
     */
    public UnavailableException(int status, String text, Duration retryAfter) {
      super(status, text);
      this.retryAfter = retryAfter;
    }

    /** For how long the API server asks to be left alone; zero where it does not. */
    public Duration retryAfter() {
      return retryAfter;
    }
  }

  /**
   * As many nodes are fenced, or about to be, as the breaker allows. A caller sees only a cache and
   * may have counted fewer.
   */
  final class BreakerFullException extends StaleException {
    private static final long serialVersionUID = 1L;

    public BreakerFullException(String message) {
      super(message);
    }
  }

  /**
   * Creates the recovery, owned by the job; returns the existing one where one of that name exists.
   */
  RecoveryView open(RecoveryView draft);

  /**
   * Writes the status if the object is still of {@link RecoveryView#resourceVersion()}; returns it
   * as stored.
   */
  RecoveryView save(RecoveryView recovery);

  /** Deletes exactly this recovery; one that is gone already is as good. */
  void remove(RecoveryView recovery);

  /**
   * Takes a slot of the breaker and cordons the node with our mark. A node that somebody else has
   * cordoned stays theirs: no mark is placed.
   *
   * @param by what fences it: a recovery, {@code namespace/name}, or {@code fault/NAME} for a
   *     NodeFault
   * @param limit nodes that may carry our mark at one time
   * @return whether this call has cordoned it
   * @throws BreakerFullException when that many do, or are about to; the node is left as it is
   */
  boolean cordon(String node, String by, String reason, FenceLimit limit);

  /**
   * Lifts the cordon if the node still carries our mark; takes the mark off in the same write. Its
   * place in the breaker is given back after that.
   */
  void release(String node);

  /**
   * Writes down on the node that a recovery blames it. One that is gone, or was created later, is
   * passed over: another machine may have its name.
   *
   * @param by the recovery, {@code namespace/name}
   * @param at when it was opened
   */
  void recordIncident(String node, String by, Instant at);

  /**
   * Writes down on the node that a stall waited for a rank on it. One that is gone, or was created
   * after the stall, is passed over.
   */
  void recordStall(String node, NamedStalls.Entry stall);

  /** Puts the label of a lemon on the node, or takes it off; one that is gone is passed over. */
  void markLemon(String node, boolean lemon);

  /**
   * Suspends the job in the name of a recovery. A suspension by an earlier recovery is taken over.
   * Of a job that Kueue admits the Workload is deactivated, and Kueue suspends the job.
   *
   * @param attempt id of the attempt that it is suspended for; a job that carries it, or a later
   *     one, was resumed since the caller read it
   * @throws StaleException when the job is gone, is another one of the name, or was suspended by
   *     its user
   */
  void suspend(JobKey job, String uid, String recovery, String attempt);

  /**
   * Takes the operator's Failed condition off a job that is suspended by us, so that the operator
   * considers it again.
   *
   * @throws StaleException when the job is not suspended by us
   */
  void revive(JobKey job, String uid, String recovery);

  /**
   * Patches the templates and un-suspends the job in one write, unless it already carries this
   * attempt. Of a job that Kueue admits the templates are patched and then the Workload is
   * activated: the job starts when Kueue admits it.
   */
  void resume(JobKey job, String uid, ResumeOrder order);

  /**
   * Lets a ClusterQueue of Kueue admit nothing for a recovery, so that quota which the job gives up
   * is there when it comes back. One that admits nothing already is left.
   */
  void holdQueue(String queue, JobKey job, String recovery);

  /** Lets a ClusterQueue that is held for a recovery of the job admit again. */
  void releaseQueue(String queue, JobKey job);

  /** Takes our mark off a Workload of the job that is active again. */
  void unmarkWorkload(JobKey job, String uid);

  /**
   * Makes a gang scheduler consider a PodGroup again, by an annotation that changes.
   *
   * @param mark what the annotation is to say; said twice it changes nothing
   */
  void requeue(JobKey job, String podGroup, String mark);

  /**
   * Takes back from the templates which checkpoint pods are given; pods that are there keep it.
   *
   * @throws StaleException when the job is gone or another one has its name
   */
  void clearResume(JobKey job, String uid);

  /**
   * Takes pods that are made from now on to these nodes, by a preference of the templates; pods
   * that are there stay. No nodes takes the preference back.
   *
   * @param hostnames values of label {@code kubernetes.io/hostname}
   * @throws StaleException when the job is gone, another one has its name, or it is not ours to
   *     edit
   */
  void planNodes(JobKey job, String uid, List<String> hostnames);

  /**
   * Gives the pod of exactly this UID its checkpoint, by annotations that its next container reads.
   * Gone already is fine.
   *
   * @param given with an empty path to give it none
   */
  void injectResume(JobKey job, String pod, String uid, GivenCheckpoint given);

  /**
   * Deletes the pod of exactly this UID. Gone already is fine. A grace of zero removes the object
   * by force.
   */
  void deletePod(JobKey job, String pod, String uid, Duration grace);

  /**
   * Makes a warm spare of the job, owned by it, unless there is one of that number.
   *
   * @throws StaleException when the job is gone, is another one of the name, or has another
   *     template
   */
  void addSpare(JobKey job, String uid, SpareOrder order);

  /** Removes the warm spare of exactly this UID, within a second or two. Gone already is fine. */
  void removeSpare(JobKey job, String pod, String uid);

  /**
   * Gives the agents their order for the gang of a recovery: creates the object of that name, owned
   * by the recovery, or moves it on to the next instruction. One that is as far already is left.
   *
   * @param name id of the attempt
   */
  void order(RecoveryView recovery, String name, RestartOrderSpec spec);

  /** Deletes an order, and so ends what agents do for it; they thaw what they have not killed. */
  void withdraw(JobKey job, String name);

  /** Whether the API server has the job of exactly this UID now, whatever a cache shows. */
  boolean exists(JobKey job, String uid);

  /** Pods of the job as the API server has them now. */
  List<PodView> livePods(JobKey job);

  /**
   * Starts the checkpoint inspector of a recovery unless it runs already.
   *
   * @return empty, or why it cannot be started: the directory is on no volume of the job, say
   */
  Optional<Inspection.Unable> startInspector(JobKey job, String uid, String recovery);

  /** What the inspector has found so far. */
  Inspection inspect(JobKey job, String recovery);

  /** Removes the inspector and its pod. */
  void stopInspector(JobKey job, String recovery);

  /**
   * Starts what makes a tracker name the pinned checkpoint, unless it was started already.
   *
   * @param job whose checkpoints they are
   */
  void startTracker(JobKey job, String uid, TrackerOrder order);

  /** What has come of that so far; also why it cannot be done at all. */
  TrackerView tracker(JobKey job, String uid, TrackerOrder order);

  /**
   * The volume that a claim in the namespace of the job is bound to, as it is now.
   *
   * @return empty where there is no such claim, it is not bound, or all nodes reach its volume
   */
  Optional<BoundVolume> volume(JobKey job, String claim);

  /**
   * Writes down a fault that one of the controller's own detectors has found: creates its
   * NodeFault, lets a cleared one stand again, counts one that was last seen before. One that says
   * so already is left. What it says of fencing becomes that of the observation. A fault of
   * somebody else's detector is never touched.
   */
  void raise(FaultObservation observation);

  /**
   * Clears a fault of the controller's own detectors. Gone or cleared already is fine.
   *
   * @param fault name of the NodeFault
   * @param by what shows that it is over, one word
   */
  void clear(String fault, String by);

  /**
   * Deletes a NodeFault of a Node that is no more. One that is gone, or that is another Node's by
   * now, is left.
   *
   * @param fault name of the NodeFault
   * @param nodeUid the UID of the Node that it must be about
   */
  void forget(String fault, String nodeUid);

  /**
   * The Node as the API server has it now, whatever a watch shows; empty when there is none.
   *
   * @param conditions the types of conditions to read
   */
  Optional<NodeView> liveNode(String node, Predicate<String> conditions);

  /**
   * When the kubelet of the node last renewed its lease, requested live: a watch of them would be
   * reported of every node every ten seconds.
   *
   * @return empty when there is none, or it cannot be read
   */
  Optional<Instant> lease(String node);

  /**
   * Changes what is written down of what a policy would have done. Where no policy has that name
   * nothing is written.
   *
   * @param change the next scorecard from the one that is stored; said twice it changes nothing
   */
  void score(String policy, UnaryOperator<Scorecard> change);

  /** Emits a Kubernetes Event. Best effort: failures are logged, never thrown. */
  void recordEvent(ClusterEvent event);

  /**
   * Emits a Kubernetes Event that another process may have emitted before: one that is there stays
   * as it is, and is not counted up. Best effort as well.
   *
   * @param at when it happened
   */
  void recordEventOnce(ClusterEvent event, Instant at);
}
