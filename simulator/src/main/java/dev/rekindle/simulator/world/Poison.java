package dev.rekindle.simulator.world;

/** What is wrong with a checkpoint that looks complete: no inspector sees it from outside. */
public enum Poison {
  /** No process can load it; each says so in its log and ends. */
  DOES_NOT_LOAD,
  /** It loads, and the loss is NaN ever after; so it is with what is saved then. */
  GIVES_NAN,
  /** The script does not find its way around in it, says nothing and begins at step 0. */
  STARTS_OVER,
  /** A process that has loaded it crashes before its first step, and says nothing of why. */
  CRASHES
}
