package dev.rekindle.simulator.setup;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * How long things take in the cluster. All of it is assumption; the defaults are what the testbed
 * showed, or what Kubernetes has for defaults.
 *
 * @param watchLag from a write to its arrival in a watcher's cache
 * @param call from sending a request to its effect, and again to the answer
 * @param schedule from a pod without a place to its binding
 * @param operator from a change to the operator's reaction
 * @param podStart from binding to the running container: volumes, address, image on the node
 * @param processStart from there to the rendezvous: imports, process groups
 * @param load reading a checkpoint before the first step
 * @param terminate from SIGTERM to the end of a process that heeds it
 * @param nodeGrace a node silent for so long becomes Ready=Unknown
 * @param toleration pods on such a node are deleted after so long
 * @param report time between two RankReports of a pod
 * @param scan time between two scans of the checkpoint inspector
 * @param peers how long ranks wait in a collective for a lost peer before they abort
 * @param leaseDuration how long others wait for a silent leader
 * @param leaseRenew after how long without renewal a leader steps down
 * @param leaseRetry pause between two tries
 * @param restart how long a controller that died takes to be back
 */
@RecordBuilder
public record Timing(
    Duration watchLag,
    Duration call,
    Duration schedule,
    Duration operator,
    Duration podStart,
    Duration processStart,
    Duration load,
    Duration terminate,
    Duration nodeGrace,
    Duration toleration,
    Duration report,
    Duration scan,
    Duration peers,
    Duration leaseDuration,
    Duration leaseRenew,
    Duration leaseRetry,
    Duration restart)
    implements TimingBuilder.With {

  /** Kubernetes' defaults and what the testbed showed. */
  public static final Timing DEFAULT =
      new Timing(
          Duration.ofMillis(20),
          Duration.ofMillis(5),
          Duration.ofMillis(50),
          Duration.ofMillis(200),
          Duration.ofMillis(1500),
          Duration.ofMillis(3500),
          Duration.ofMillis(500),
          Duration.ofMillis(300),
          Duration.ofSeconds(40),
          Duration.ofSeconds(300),
          Duration.ofSeconds(5),
          Duration.ofMillis(250),
          Duration.ofSeconds(600),
          Duration.ofSeconds(15),
          Duration.ofSeconds(10),
          Duration.ofSeconds(2),
          Duration.ofSeconds(5));
}
