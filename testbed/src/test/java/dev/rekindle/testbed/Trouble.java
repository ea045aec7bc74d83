package dev.rekindle.testbed;

import java.util.List;

/**
 * What breaks a job of its own while the controllers' calls fare badly. No job is on a node that
 * another one's disturbance breaks.
 */
enum Trouble {
  /** A GPU falls off the bus: the gang is created again elsewhere. */
  REBUILD,
  /** A GPU falls off the bus: one pod is created again, the other one begins again where it is. */
  RESTART_IN_PLACE,
  /** A rank is stopped. */
  STALL,
  /** A node stops to answer. */
  SILENT_NODE;

  TroubledJob start(Scene scene) {
    JobRequest request = scene.job("trouble");
    TrainingJob job =
        switch (this) {
          case REBUILD ->
              request
                  .light()
                  .onNodes(List.of("node-0", "node-1", "node-2"), List.of("node-0", "node-1"))
                  .start();
          // Ranks that wait for each other: else a stopped one stops no other.
          case STALL ->
              request
                  .inPlace()
                  .sharingNodes()
                  .onNodes(List.of("node-2"))
                  .annotation("rekindle.dev/stall-timeout", "15s")
                  .start();
          // Longer than a node takes to be NotReady, or the stall is seen first.
          case SILENT_NODE ->
              request
                  .onNodes(List.of("node-3", "node-4", "node-5"), List.of("node-3", "node-4"))
                  .annotation("rekindle.dev/stall-timeout", "2m")
                  .start();
          case RESTART_IN_PLACE ->
              request
                  .light()
                  .inPlace()
                  .onNodes(List.of("node-5", "node-6", "node-7"), List.of("node-6", "node-7"))
                  .start();
        };
    return new TroubledJob(this, scene, job);
  }
}
