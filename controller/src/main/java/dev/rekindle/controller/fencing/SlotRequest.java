package dev.rekindle.controller.fencing;

import dev.rekindle.controller.model.FenceLimit;

/** A request for a slot of the breaker, or to give one back. */
sealed interface SlotRequest {
  /**
   * Takes a slot for a node.
   *
   * @param uid of the Node; empty when unknown
   * @param by what fences it
   */
  record Take(String node, String uid, String by, FenceLimit limit) implements SlotRequest {}

  /** Gives the slot of a node back, unless another one is stored for it by now. */
  record GiveBack(String node, FenceSlot slot) implements SlotRequest {}
}
