package dev.rekindle.testbed;

import java.util.List;

/** What breaks a job of its own while the controllers' calls fare badly. */
@SuppressWarnings("ImmutableEnumChecker") // Names of nodes, in lists that cannot be changed.
enum Trouble {
  /** A GPU falls off the bus: the gang is made anew elsewhere. */
  REBUILD(List.of("node-0", "node-1", "node-2")),
  /** A rank is killed: all ranks begin again where they are. */
  RESTART_IN_PLACE(List.of("node-6", "node-7")),
  /** A rank is stopped. */
  STALL(List.of("node-6", "node-7")),
  /** A node stops to answer. */
  SILENT_NODE(List.of("node-3", "node-4", "node-5"));

  private final List<String> nodes;

  Trouble(List<String> nodes) {
    this.nodes = nodes;
  }

  TroubledJob start(Scene scene) {
    JobRequest request = scene.job("trouble").onNodes(nodes);
    TrainingJob job =
        switch (this) {
          case REBUILD -> request.light().start();
          case RESTART_IN_PLACE -> request.light().inPlace().start();
          // Ranks that wait for each other: else a stopped one stops nobody.
          case STALL -> request.inPlace().annotation("rekindle.dev/stall-timeout", "15s").start();
          // Longer than a node takes to be NotReady, or the stall is seen first.
          case SILENT_NODE -> request.annotation("rekindle.dev/stall-timeout", "2m").start();
        };
    return new TroubledJob(this, scene, job);
  }
}
