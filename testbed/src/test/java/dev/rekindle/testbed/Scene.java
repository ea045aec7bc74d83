package dev.rekindle.testbed;

import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RecoveryPolicySpec;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** What one test does to the cluster: its jobs, what it saw, and how all of it is undone. */
final class Scene {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final String RUN_ID = Long.toString(ProcessHandle.current().pid(), 36);

  private final Testbed testbed;
  private final String name;
  private final List<Half> taken;
  private final Instant began;
  private final int leaderChangesBefore;
  private final Recorder recorder;
  private final Cluster cluster;
  private final Deque<Runnable> undo = new ArrayDeque<>();
  private final List<TrainingJob> jobs = new ArrayList<>();

  /**
   * Waits until the nodes can be had, and are as they should be.
   *
   * @param taken halves of the nodes that are its own until it is disposed of; none where no scene
   *     is beside it: it has the first half then
   */
  Scene(Testbed testbed, String name, List<Half> taken) {
    this.testbed = testbed;
    this.name = name;
    this.taken = taken;
    began = Instant.now();
    recorder = new Recorder(testbed.client());
    List<Half> halves = taken.isEmpty() ? List.of(Half.FIRST) : taken;
    cluster =
        new Cluster(
            testbed.client(),
            halves.stream().flatMap(h -> h.nodes().stream()).toList(),
            this::onCleanUp);
    try {
      // What a test that was interrupted, or a person at a reused testbed, left behind.
      cluster.forgetFaults();
      cluster.awaitAllUsable();
    } catch (RuntimeException | AssertionError e) {
      dispose();
      throw e;
    }
    leaderChangesBefore = controller().leaderChanges();
    Testbed.log(name);
  }

  String name() {
    return name;
  }

  Instant began() {
    return began;
  }

  Testbed testbed() {
    return testbed;
  }

  KubernetesClient client() {
    return testbed.client();
  }

  Recorder recorder() {
    return recorder;
  }

  Cluster cluster() {
    return cluster;
  }

  ControllerProcess controller() {
    return new ControllerProcess(client());
  }

  /** How often the lead has passed to another controller since the beginning. */
  int leaderChanges() {
    return controller().leaderChanges() - leaderChangesBefore;
  }

  /** The processes of the agent on a node, on the host. */
  List<Long> agentOn(String node) {
    return Host.processes(controller().agent(node), "agent");
  }

  List<TrainingJob> jobs() {
    return List.copyOf(jobs);
  }

  /** A job to be made from testbed/job.yaml; the name gets a part that makes it unique. */
  JobRequest job(String kind) {
    JobRequest request =
        new JobRequest(this, "%s-%s%d".formatted(kind, RUN_ID, NUMBER.incrementAndGet()));
    return taken.size() == 1 ? request.onNodesWith(Half.LABEL, taken.getFirst().label()) : request;
  }

  void started(TrainingJob job) {
    jobs.add(job);
    onCleanUp(job::delete);
  }

  /** A policy of this scene; gives its name. */
  String policy(String kind, RecoveryPolicySpec spec) {
    RecoveryPolicy policy = new RecoveryPolicy();
    String unique = "%s-%s%d".formatted(kind, RUN_ID, NUMBER.incrementAndGet());
    policy.setMetadata(new ObjectMetaBuilder().withName(unique).build());
    policy.setSpec(spec);
    client().resource(policy).create();
    onCleanUp(() -> client().resources(RecoveryPolicy.class).withName(unique).delete());
    return unique;
  }

  /** Undoes something when the test is over, last things first. */
  void onCleanUp(Runnable step) {
    undo.push(step);
  }

  /** Brings the cluster back to how every test finds it. */
  void cleanUp() {
    List<Throwable> failures = new ArrayList<>();
    undo.push(cluster::thawAll);
    while (!undo.isEmpty()) {
      try {
        undo.pop().run();
      } catch (RuntimeException | AssertionError e) {
        failures.add(e);
      }
    }
    try {
      cluster.forgetFaults();
      cluster.awaitAllUsable();
    } catch (RuntimeException | AssertionError e) {
      failures.add(e);
    }
    if (!failures.isEmpty()) {
      // In the message too: a summary shows no suppressed ones.
      AssertionError error =
          new AssertionError("cannot clean up after %s: %s".formatted(name, failures));
      failures.forEach(error::addSuppressed);
      throw error;
    }
  }

  void dispose() {
    recorder.close();
    jobs.forEach(TrainingJob::dispose);
    taken.forEach(testbed.halves()::give);
  }

  /** A rank on its way out may still write a checkpoint, so one pass is not always enough. */
  static void deleteFolder(Path folder) {
    Await.until(folder + " is gone", Duration.ofMinutes(1), () -> deleted(folder));
  }

  private static boolean deleted(Path folder) {
    if (!Files.exists(folder)) {
      return true;
    }
    try (var all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
      return true;
    } catch (DirectoryNotEmptyException | NoSuchFileException stillWritten) {
      return false;
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof NoSuchFileException) {
        return false;
      }
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
