package dev.rekindle.controller.fencing;

/** The answer to a {@link SlotRequest}. */
sealed interface SlotAnswer {
  /** The slot is taken, or given back. */
  record Granted() implements SlotAnswer {}

  /** The breaker has no free slot. */
  record Full(String why) implements SlotAnswer {}

  /** The quota of a namespace was used up after the node was judged. */
  record OverQuota(String why) implements SlotAnswer {}
}
