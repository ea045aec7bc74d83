package dev.rekindle.simulator.replay;

/** Who brings the job back. */
enum World {
  /** The controller, by itself. */
  REKINDLE("with Rekindle"),
  /** A person is alerted, comes, and does it by hand. */
  PERSON("a person"),
  /** Neither; containers restart where they are, and nodes get repaired. */
  UNATTENDED("unattended");

  final String title;

  World(String title) {
    this.title = title;
  }
}
