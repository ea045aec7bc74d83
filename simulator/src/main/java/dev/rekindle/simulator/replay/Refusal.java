package dev.rekindle.simulator.replay;

/** What was asked for cannot be done; the message says why, for the person who asked. */
final class Refusal extends Exception {
  Refusal(String why) {
    super(why);
  }
}
