package dev.rekindle.detect.xid;

import java.util.Optional;

/**
 * What the driver itself says a GPU needs, as XID 154 reports it. Numbers from NVIDIA's {@code
 * nvml.h}, {@code nvmlDeviceGpuRecoveryAction_t}.
 */
public enum RecoveryAction {
  /** Nothing: the driver's own all-clear. */
  NONE(0, "none"),
  /** Reset the GPU. */
  RESET_GPU(1, "reset_gpu"),
  /** Reboot the node. */
  REBOOT_NODE(2, "reboot_node"),
  /** Drain peer-to-peer traffic over the fabric. */
  DRAIN_P2P(3, "drain_p2p"),
  /** Reset the GPU as soon as it is idle. */
  DRAIN_AND_RESET(4, "drain_and_reset"),
  /** Bring the IMEX domain back. */
  RECOVER_IMEX(5, "recover_imex");

  private final int number;
  private final String word;

  RecoveryAction(int number, String word) {
    this.number = number;
    this.word = word;
  }

  /** The word for {@code NodeFault.spec.action}. */
  public String word() {
    return word;
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
