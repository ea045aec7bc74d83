package dev.rekindle.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;

/**
 * Disks of nodes: one path of the host with other files on each node, see {@code start_with_disk}
 * in testbed/cluster.sh.
 */
final class NodeDisks {
  private NodeDisks() {}

  /** The folder of a job as its pods name it; on this machine nothing is there. */
  static Path inPods(String job) {
    return Testbed.RUN.resolve("disk").resolve(job);
  }

  /** The same on the disk of a node, on this machine. */
  static Path of(String node, String job) {
    return Testbed.RUN.resolve(node).resolve("disk").resolve(job);
  }

  /**
   * Gives a node an older copy of what another one has of a job of testbed/jobs/saves.py: an
   * iteration, and a tracker that names it.
   */
  static void copyIteration(String job, int iteration, String from, String to) {
    String file = "iter_%07d/mp_rank_00/model_optim_rng.pt".formatted(iteration);
    Path copy = of(to, job).resolve(file);
    Path tracker = of(to, job).resolve("latest_checkpointed_iteration.txt");
    FileTime written = FileTime.from(Instant.now().minus(Duration.ofHours(1)));
    try {
      Files.createDirectories(copy.getParent());
      Files.copy(of(from, job).resolve(file), copy);
      Files.setLastModifiedTime(copy, written);
      Files.writeString(tracker, Integer.toString(iteration));
      Files.setLastModifiedTime(tracker, written);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes the folder of a job from all disks. */
  static void delete(String job) {
    try (var nodes = Files.newDirectoryStream(Testbed.RUN, "node-*")) {
      nodes.forEach(node -> Scene.deleteFolder(node.resolve("disk").resolve(job)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
