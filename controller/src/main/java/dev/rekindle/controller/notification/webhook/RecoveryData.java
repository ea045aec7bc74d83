package dev.rekindle.controller.notification.webhook;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.rekindle.api.LostGpuSeconds;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.notification.Notification;
import dev.rekindle.controller.notification.Notification.OfRecovery;
import dev.rekindle.controller.notification.NotificationType;
import dev.rekindle.controller.recovery.HoldReason;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The data of a CloudEvent about a recovery. {@code docs/reference/notification.schema.json} has it
 * as a JSON schema. All but {@code detail} is as it was when the event was sent.
 *
 * @param recovery the Recovery
 * @param job the job that it recovers
 * @param phase the phase in which the recovery was when this was sent
 * @param attempt number of the restart being tried, from 1
 * @param detail one sentence on what happened
 * @param holdReason why it is held; absent where it is not, or is not held for that any more
 * @param cause why the job needs a recovery
 * @param nodes nodes that it is about
 * @param outcome what came of it, once that is known
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record RecoveryData(
    Named recovery,
    Job job,
    String phase,
    int attempt,
    String detail,
    @Nullable String holdReason,
    @Nullable Reason cause,
    Nodes nodes,
    @Nullable Result outcome) {
  /** Most nodes of one list: a notification is no inventory. */
  static final int MOST_NODES = 16;

  /** An object. */
  record Named(String namespace, String name, String uid) {}

  /** A job. */
  record Job(String apiVersion, String kind, String namespace, String name, String uid) {}

  /** A cause: a word of a closed vocabulary or a code of a NodeFault, and a sentence. */
  record Reason(String reason, String message) {}

  /**
   * Nodes, each list cut to {@link #MOST_NODES} names.
   *
   * @param total of all three lists, before they were cut
   */
  record Nodes(List<String> faulty, List<String> silent, List<String> excluded, int total) {}

  /** What came of it: steps, and seconds. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Result(
      @Nullable Double downtimeSeconds,
      @Nullable Double lostGpuSeconds,
      @Nullable Long resumedStep,
      @Nullable Long firstStepAfter,
      @Nullable Long lostSteps) {}

  static RecoveryData of(Notification notification, OfRecovery content) {
    RecoveryView view = content.recovery();
    RecoveryStatus status = Objects.requireNonNull(view.status());
    var ref = view.spec().jobRef();
    return new RecoveryData(
        new Named(view.namespace(), view.name(), view.uid()),
        new Job(ref.apiVersion(), ref.kind(), view.namespace(), ref.name(), ref.uid()),
        Objects.requireNonNullElse(status.phase(), RecoveryPhase.DETECTED).word(),
        status.attempt(),
        content.detail(),
        content.hold().map(HoldReason::word).orElse(null),
        Optional.ofNullable(status.cause())
            .map(c -> new Reason(c.reason(), c.message()))
            .orElse(null),
        nodes(status.cause(), status.plan()),
        notification.type() == NotificationType.RECOVERED ? result(status) : null);
  }

  private static Nodes nodes(@Nullable Cause cause, @Nullable Plan plan) {
    List<String> faulty = cause == null ? List.of() : cause.faultyNodes();
    List<String> silent = cause == null ? List.of() : cause.silentNodes();
    List<String> excluded = plan == null ? List.of() : plan.excludedNodes();
    return new Nodes(
        cut(faulty), cut(silent), cut(excluded), faulty.size() + silent.size() + excluded.size());
  }

  private static List<String> cut(List<String> names) {
    return names.stream().limit(MOST_NODES).toList();
  }

  private static @Nullable Result result(RecoveryStatus status) {
    RecoveryStatus.Outcome outcome = status.outcome();
    if (outcome == null) {
      return null;
    }
    LostGpuSeconds lost = outcome.lost();
    return new Result(
        outcome.downtimeSeconds(),
        lost == null
            ? outcome.lostGpuSeconds()
            : Double.valueOf(lost.detection() + lost.restart() + lost.repeated()),
        outcome.resumedStep(),
        outcome.firstStepAfter(),
        outcome.lostSteps());
  }
}
