package dev.rekindle.controller.model;

import dev.rekindle.controller.network.AttachedNic;
import dev.rekindle.detect.node.PodDevices;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the controller keeps of a pod of a training job: about a hundredth of the object's size.
 *
 * @param job the PyTorchJob it belongs to, by label
 * @param name pod name; the same in every generation
 * @param uid pod UID; distinguishes generations
 * @param jobUid UID of the controlling owner
 * @param role replica type as the operator labels it, lower case: {@code master}, {@code worker}
 * @param index replica index
 * @param node node it is bound to, empty before scheduling
 * @param phase pod phase
 * @param ready whether condition Ready is True
 * @param graceSeconds grace period that the pod requests
 * @param deletionGraceSeconds grace period of the deletion under way, absent when the pod is not
 *     being deleted
 * @param deletionDeadline {@code deletionTimestamp}: when the grace period is over; absent when not
 *     being deleted
 * @param attempt value of annotation {@code rekindle.dev/attempt}, empty when absent
 * @param restarts sum of container restart counts (init containers left out)
 * @param lastExit when a container last ended, absent if none has
 * @param failure the failure the pod shows now, absent when it shows none
 * @param created creation time
 * @param gpus GPUs that it requests
 * @param devices which devices it holds, as far as Kubernetes shows it
 * @param resumeFrom the checkpoint that its annotation names, empty for none
 * @param requests all that it requests
 * @param group the group that a gang scheduler counts it to
 * @param attached NICs beside its first one, as Multus names them; none where it says nothing
 */
@RecordBuilder
public record PodView(
    JobKey job,
    String name,
    String uid,
    String jobUid,
    String role,
    int index,
    String node,
    Phase phase,
    boolean ready,
    long graceSeconds,
    @Nullable Long deletionGraceSeconds,
    @Nullable Instant deletionDeadline,
    String attempt,
    int restarts,
    @Nullable Instant lastExit,
    @Nullable Failure failure,
    Instant created,
    long gpus,
    PodDevices devices,
    String resumeFrom,
    Amounts requests,
    GangScheduling.Group group,
    List<AttachedNic> attached)
    implements PodViewBuilder.With {
  public PodView {
    attached = List.copyOf(attached);
  }

  /** Pod phase as Kubernetes has it. */
  public enum Phase {
    PENDING,
    RUNNING,
    SUCCEEDED,
    FAILED,
    UNKNOWN
  }

  /**
   * A failure in a pod's status.
   *
   * @param kind word of the detector's vocabulary, {@code ExitCode}, {@code Signal}, {@code
   *     OutOfMemory}, {@code Evicted}, …
   * @param cannotStart the container never ran: image or configuration, which no restart repairs
   * @param message one sentence for people
   * @param exitCode the code that a container ended with by itself; absent where it did not
   */
  public record Failure(
      String kind, boolean cannotStart, String message, @Nullable Integer exitCode) {
    /**
     * Megatron's rerun state machine: to be started again, so that it can say which rank is to
     * blame.
     */
    public static final int RERUN = 16;

    /** The same: a result was computed again, and was another. */
    public static final int RESULT_REJECTED = 17;

    /** The launcher of NVIDIA's resiliency extension: not to be started again. */
    public static final int NEVER_RESTART = 93;

    /** One that has no exit code of its own. */
    public Failure(String kind, boolean cannotStart, String message) {
      this(kind, cannotStart, message, null);
    }

    /** Whether a container ended by itself with that code. */
    public boolean hasExitCode(int code) {
      return exitCode != null && exitCode == code;
    }
  }

  /** Whether its containers can still run: neither succeeded nor failed. */
  public boolean live() {
    return phase != Phase.SUCCEEDED && phase != Phase.FAILED;
  }

  /** Its rank as the training operator numbers pods: the master first, then the workers. */
  public int rank() {
    return role.equals("master") ? index : index + 1;
  }

  /** Whether a deletion is under way. */
  public boolean terminating() {
    return deletionDeadline != null;
  }
}
