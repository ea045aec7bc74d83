package dev.rekindle.api;

import java.util.Optional;

/**
 * What repairs a fault: the words of {@code NodeFault.spec.action} and of rules. Those that NVIDIA
 * has (XID 154 and the XID catalogue) mean what it says of them.
 */
public enum RepairAction {
  /** Nothing needs a repair. */
  IGNORE("ignore", false),
  /** The driver requests nothing. */
  NONE("none", false),
  /** The process is to be started again. */
  RESTART_JOB("restart_job", true),
  /** The GPU is to be reset. */
  RESET_GPU("reset_gpu", true),
  /** The node is to be rebooted. */
  REBOOT_NODE("reboot_node", true),
  /** Peer-to-peer traffic of the GPU is to end. */
  DRAIN_P2P("drain_p2p", false),
  /** The GPU is to be reset as soon as it is idle. */
  DRAIN_AND_RESET("drain_and_reset", true),
  /** The IMEX domain is to be brought back. */
  RECOVER_IMEX("recover_imex", false),
  /** The part is to be replaced. */
  DRAIN_AND_RMA("drain_and_rma", false),
  /** A person is to find out. */
  INVESTIGATE("investigate", false);

  private final String word;
  private final boolean byReboot;

  RepairAction(String word, boolean byReboot) {
    this.word = word;
    this.byReboot = byReboot;
  }

  /** The word that stands in the object. */
  public String word() {
    return word;
  }

  /** Whether a reboot of the node does it as well. */
  public boolean isByReboot() {
    return byReboot;
  }

  /** Whether this is the action of that word. */
  public boolean is(String other) {
    return word.equals(other);
  }

  /** The action of that word; empty for another: others may write NodeFaults as well. */
  public static Optional<RepairAction> of(String word) {
    for (RepairAction action : values()) {
      if (action.word.equals(word)) {
        return Optional.of(action);
      }
    }
    return Optional.empty();
  }
}
