package dev.rekindle.testbed.fidelity;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Something that is done to a cluster.
 *
 * @param name what, in a few words with dashes: also a file name and a part of object names
 * @param lone whether it needs a node for itself
 * @param gpus GPUs of that node
 * @param heeds whether its processes end at SIGTERM
 * @param toleration how long its pods stay on a node that does not answer
 * @param script the acts
 */
record Scenario(
    String name,
    boolean lone,
    int gpus,
    boolean heeds,
    Duration toleration,
    Consumer<ScenarioRun> script) {
  /** Kubernetes' own. */
  private static final Duration USUAL = Duration.ofMinutes(5);

  static Scenario of(String name, Consumer<ScenarioRun> script) {
    return new Scenario(name, false, 0, false, USUAL, script);
  }

  Scenario named(String other) {
    return new Scenario(other, lone, gpus, heeds, toleration, script);
  }

  Scenario heeding() {
    return new Scenario(name, lone, gpus, true, toleration, script);
  }

  Scenario onALoneNode() {
    return onALoneNode(0);
  }

  Scenario onALoneNode(int withGpus) {
    return new Scenario(name, true, withGpus, heeds, toleration, script);
  }

  Scenario tolerating(Duration silence) {
    return new Scenario(name, lone, gpus, heeds, silence, script);
  }
}
