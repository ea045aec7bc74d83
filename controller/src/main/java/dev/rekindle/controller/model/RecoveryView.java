package dev.rekindle.controller.model;

import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import org.jspecify.annotations.Nullable;

/**
 * A Recovery with the resource version that its next write must match.
 *
 * @param namespace its namespace
 * @param name its name
 * @param uid its UID, empty for a draft
 * @param resourceVersion version read, empty for a draft
 * @param spec what opened it
 * @param status its progress; absent between the creation and the first write of the status
 * @param generation grows with each change of the spec: of one that is there, with each approval
 *     and each withdrawal of one; 0 where it is not known
 */
public record RecoveryView(
    String namespace,
    String name,
    String uid,
    String resourceVersion,
    RecoverySpec spec,
    @Nullable RecoveryStatus status,
    long generation) {
  /** One whose generation is not known. */
  public RecoveryView(
      String namespace,
      String name,
      String uid,
      String resourceVersion,
      RecoverySpec spec,
      @Nullable RecoveryStatus status) {
    this(namespace, name, uid, resourceVersion, spec, status, 0);
  }

  /** The job it is about. */
  public JobKey job() {
    return new JobKey(namespace, spec.job());
  }

  /** The number in its name, which grows from one recovery of a job to the next; 0 for others. */
  public int number() {
    String prefix = spec.job() + "-r";
    try {
      return name.startsWith(prefix) ? Integer.parseInt(name.substring(prefix.length())) : 0;
    } catch (NumberFormatException notOurs) {
      return 0;
    }
  }

  /** Whether it is not over yet. A recovery without a status has only just begun. */
  public boolean open() {
    return status == null || status.phase() == null || !status.phase().isTerminal();
  }

  /** Whether a step of the job was seen before it began, or when it was over. */
  public boolean sawSteps() {
    return status != null
        && ((status.cause() != null && sawSteps(status.cause()))
            || (status.outcome() != null && status.outcome().firstStepAfter() != null));
  }

  private static boolean sawSteps(Cause cause) {
    return cause.lastStep() != null
        || (cause.before() != null && Boolean.TRUE.equals(cause.before().sawSteps()));
  }

  /** The same recovery with another status. */
  public RecoveryView with(RecoveryStatus next) {
    return new RecoveryView(namespace, name, uid, resourceVersion, spec, next, generation);
  }
}
