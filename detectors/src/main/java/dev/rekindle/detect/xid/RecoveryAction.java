package dev.rekindle.detect.xid;

import dev.rekindle.api.RepairAction;
import java.util.Optional;

/**
 * What the driver itself says a GPU needs, as XID 154 reports it. Numbers from NVIDIA's {@code
 * nvml.h}, {@code nvmlDeviceGpuRecoveryAction_t}.
 */
public enum RecoveryAction {
  /** Nothing: the driver's own all-clear. */
  NONE(0, RepairAction.NONE),
  /** Reset the GPU. */
  RESET_GPU(1, RepairAction.RESET_GPU),
  /** Reboot the node. */
  REBOOT_NODE(2, RepairAction.REBOOT_NODE),
  /** Drain peer-to-peer traffic over the fabric. */
  DRAIN_P2P(3, RepairAction.DRAIN_P2P),
  /** Reset the GPU as soon as it is idle. */
  DRAIN_AND_RESET(4, RepairAction.DRAIN_AND_RESET),
  /** Bring the IMEX domain back. */
  RECOVER_IMEX(5, RepairAction.RECOVER_IMEX);

  private final int number;
  private final RepairAction action;

  RecoveryAction(int number, RepairAction action) {
    this.number = number;
    this.action = action;
  }

  /** The word for {@code NodeFault.spec.action}. */
  public String word() {
    return action.word();
  }

  /** NVIDIA's number. */
  public int number() {
    return number;
  }

  /** The action of that number, or empty where it is none that we know. */
  public static Optional<RecoveryAction> ofNumber(int number) {
    for (var action : values()) {
      if (action.number == number) {
        return Optional.of(action);
      }
    }
    return Optional.empty();
  }
}
