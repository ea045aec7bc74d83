package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.PodView.Failure;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.SimEvent.Kind;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The kubelet of one node: starts and ends containers, restarts those that ended, and confirms the
 * end of deleted pods. While its node does not answer it does nothing; when it does again it checks
 * at everything. How long it takes for what is measured: {@code testbed/.../fidelity} plays the
 * same scenarios on a real one.
 */
final class Kubelet {
  /** Until it sees that a container has ended: it polls every second. */
  private static final Duration NOTICES = Duration.ofMillis(800);

  /** From one step of a pod's end to the next, and from a container's end to its restart. */
  static final Duration NEXT = Duration.ofMillis(900);

  /** After the node answers again, until it says that its pods are ready. */
  private static final Duration READY_AGAIN = Duration.ofSeconds(4);

  /** From the master's name to the start of a worker that waits for it. */
  private static final Duration NAME_FOUND = Duration.ofMillis(1200);

  /** Between two tries to pull an image. */
  private static final Duration PULLS = Duration.ofSeconds(5);

  private static final Failure NO_IMAGE =
      new Failure("ImagePull", true, "image cannot be pulled (ImagePullBackOff)");

  private static final int SIGNALS = 128;

  private final World world;
  private final Machine machine;
  private final KubeletPods pods;
  private final CrashBackoff backoff;
  private final PodDeletion deletion;

  /** Pods that it takes care of, by UID. */
  private final Map<String, PodObject> known = new HashMap<>();

  /** Workers that are ready to start but for the name of their master. */
  private final Set<String> waiting = new HashSet<>();

  Kubelet(World world, Machine machine) {
    this.world = world;
    this.machine = machine;
    this.pods = new KubeletPods(world);
    this.backoff = new CrashBackoff(world::now);
    this.deletion =
        new PodDeletion(
            world, machine, pods, pod -> waiting.contains(pod.meta().uid()), this::forget);
  }

  void changed(Change<PodObject> change) {
    if (machine.answers()) {
      world.loop().after(world.timing().watchLag(), () -> sync(change.object().meta().key()));
    } else if (change.after() == null) {
      RankProcess process = pods.process(change.object());
      if (process != null) {
        process.orphaned = true;
        process.orphanedUnheard = true;
        process.disowned = world.nodes().find(machine.name()).isEmpty();
      }
    }
  }

  private void sync(String key) {
    if (!machine.answers()) {
      return;
    }
    PodObject pod = world.pods().find(key).orElse(null);
    if (pod == null || !pod.node().equals(machine.name())) {
      endOrphans();
      return;
    }
    String uid = pod.meta().uid();
    if (pod.meta().terminating()) {
      deletion.begin(pod);
    } else if (!known.containsKey(uid) && pod.live()) {
      known.put(uid, pod);
      if (world.spiderpool().isInstalled()) {
        world.loop().after(Spiderpool.ADD, () -> sandbox(pod));
      } else {
        world.loop().after(world.jitter(world.timing().podStart()), () -> prepared(pod));
      }
    }
  }

  // --- starting -------------------------------------------------------------------------------

  /** Without all its addresses a pod stays Pending, and is tried again. */
  private void sandbox(PodObject pod) {
    if (world.spiderpool().attach(pod, machine.setup().leaf())) {
      world.loop().after(world.jitter(world.timing().podStart()), () -> prepared(pod));
    } else {
      later(pod, Spiderpool.RETRY, this::sandbox);
    }
  }

  /**
   * Volumes, address and image are there. A worker's init container waits for the master's name.
   */
  private void prepared(PodObject pod) {
    if (world.controlPlane().imagesAway()) {
      PodObject now = pods.current(pod);
      if (now != null && now.status().failure() == null) {
        PodObject.Status was = now.status();
        pods.setStatus(
            now,
            new PodObject.Status(
                was.phase(), false, false, was.restarts(), was.lastExit(), NO_IMAGE));
      }
      later(pod, PULLS, this::prepared);
      return;
    }
    if (pod.rank() > 0 && !hasMaster(pod)) {
      waiting.add(pod.meta().uid());
    } else {
      start(pod, 0, null);
    }
  }

  private boolean hasMaster(PodObject worker) {
    return world
        .pods()
        .find(worker.meta().namespace() + "/" + PodObject.name(worker.job(), 0))
        .filter(master -> master.status().ready())
        .isPresent();
  }

  /** The master of that worker has become ready. */
  void masterReady(PodObject worker) {
    if (waiting.remove(worker.meta().uid())) {
      world.loop().after(world.jitter(NAME_FOUND), () -> start(worker, 0, null));
    }
  }

  private void start(PodObject pod, int restarts, @Nullable Failure last) {
    PodObject now = pods.current(pod);
    if (now == null
        || now.meta().terminating()
        || !now.live()
        || !machine.answers()
        || pods.hasProcess(now)) {
      return;
    }
    String uid = pod.meta().uid();
    backoff.started(uid, restarts);
    PodObject.Status was = now.status();
    PodObject.Status runs =
        new PodObject.Status(Phase.RUNNING, true, true, restarts, was.lastExit(), last);
    pods.setStatus(now, runs);
    pods.startProcess(now.with(runs), machine);
  }

  // --- ends by themselves ---------------------------------------------------------------------

  /** The process of a pod has exited. */
  void exited(RankProcess process, int code) {
    PodObject pod = known.get(process.podUid);
    if (pod != null && machine.powered) {
      world.loop().after(world.jitter(NOTICES), () -> noticed(pod, code));
    }
  }

  /** An agent has killed the container of a pod that is being deleted: its grace period is over. */
  void killed(RankProcess process) {
    PodObject pod = known.get(process.podUid);
    if (pod != null && deletion.isUnderWay(pod)) {
      world.loop().after(world.jitter(NOTICES), () -> deletion.containersEnd(pod));
    }
  }

  private void noticed(PodObject pod, int code) {
    PodObject now = pods.current(pod);
    // While the node does not answer the API server does not see it; reported once, when it answers
    // again.
    if (machine.answers()
        && now != null
        && now.status().running()
        && now.live()
        && !now.meta().terminating()
        && !pods.hasProcess(now)) {
      ended(now, code);
    }
  }

  private void ended(PodObject pod, int code) {
    world.emit(Kind.POD, pod.meta().name(), "its process ended with code " + code);
    PodObject.Status was = pod.status();
    Instant at = world.now().truncatedTo(ChronoUnit.SECONDS);
    Failure failure = code == 0 ? null : failure(code);
    boolean restarts =
        pod.restart() == RestartPolicy.ALWAYS
            || (pod.restart() == RestartPolicy.ON_FAILURE && code != 0);
    pods.setStatus(
        pod, new PodObject.Status(Phase.RUNNING, false, false, was.restarts(), at, failure));
    if (restarts) {
      restart(pod, was.restarts() + 1, at, failure);
    } else {
      Phase phase = code == 0 ? Phase.SUCCEEDED : Phase.FAILED;
      later(
          pod,
          NEXT,
          now ->
              pods.setStatus(
                  now, new PodObject.Status(phase, false, false, was.restarts(), at, failure)));
    }
  }

  /** Soon the first time, then after ten seconds, doubling. */
  private void restart(PodObject pod, int restarts, Instant at, @Nullable Failure failure) {
    Duration wait = backoff.ended(pod.meta().uid());
    if (wait.isZero()) {
      later(pod, NEXT, now -> start(now, restarts, failure));
      return;
    }
    Integer code = failure == null ? null : failure.exitCode();
    Failure loop = new Failure("CrashLoop", false, "container waits (CrashLoopBackOff)", code);
    later(
        pod,
        wait,
        now -> {
          if (!pods.hasProcess(now)) {
            pods.setStatus(
                now, new PodObject.Status(Phase.RUNNING, false, false, restarts - 1, at, loop));
            later(now, NEXT, again -> start(again, restarts, failure));
          }
        });
  }

  private static Failure failure(int code) {
    return code > SIGNALS
        ? new Failure("Signal", false, "container ended by signal " + (code - SIGNALS))
        : new Failure("ExitCode", false, "container ended with code " + code, code);
  }

  /** Goes on with the pod after a while, unless it is being deleted, gone, or cannot be seen. */
  private void later(PodObject pod, Duration delay, Consumer<PodObject> step) {
    world
        .loop()
        .after(
            world.jitter(delay),
            () -> {
              PodObject now = pods.current(pod);
              if (now != null && machine.answers() && now.live() && !now.meta().terminating()) {
                step.accept(now);
              }
            });
  }

  // --- deletion -------------------------------------------------------------------------------

  private void forget(PodObject pod) {
    String uid = pod.meta().uid();
    known.remove(uid);
    deletion.forget(pod);
    waiting.remove(uid);
    backoff.forget(uid);
  }

  /** Containers of pods that are deleted from the API server; they run on for a while. */
  private void endOrphans() {
    for (PodObject pod : List.copyOf(known.values())) {
      if (pods.current(pod) == null) {
        boolean underWay = deletion.isUnderWay(pod);
        forget(pod);
        RankProcess process = pods.process(pod);
        if (process != null) {
          process.orphaned = true;
          deletion.orphaned(pod, underWay);
        }
      }
    }
  }

  // --- the machine ----------------------------------------------------------------------------

  /** The machine has lost its power: nothing of what ran on it runs any more. */
  void powerLost() {
    for (PodObject pod : List.copyOf(known.values())) {
      pods.endProcess(pod);
    }
    deletion.powerLost();
    waiting.clear();
  }

  /** It is the kubelet of another machine, without the containers of the former one. */
  void exchanged() {
    known.clear();
    backoff.clear();
  }

  /** The node answers again. */
  void back() {
    deletion.back();
    endOrphans();
    for (PodObject pod : world.pods().list("spec.nodeName", machine.name())) {
      String uid = pod.meta().uid();
      if (pod.meta().terminating()) {
        known.putIfAbsent(uid, pod);
        deletion.begin(pod);
        world.loop().after(world.jitter(NEXT), () -> readyAgain(pod));
      } else if (!known.containsKey(uid)) {
        sync(pod.meta().key());
      } else if (pod.status().phase() == Phase.PENDING) {
        known.remove(uid);
        waiting.remove(uid);
        sync(pod.meta().key());
      } else if (pod.status().phase() == Phase.RUNNING) {
        found(pod);
      }
    }
  }

  /** A pod that was running when the node last answered. */
  private void found(PodObject pod) {
    if (!pods.hasProcess(pod)) {
      ended(pod, SIGNALS + 9);
    } else if (!pod.status().ready()) {
      world.loop().after(world.jitter(READY_AGAIN), () -> readyAgain(pod));
    }
  }

  /** Says so of one that runs, also while it ends it. */
  private void readyAgain(PodObject pod) {
    PodObject now = pods.current(pod);
    if (now != null
        && machine.answers()
        && now.status().phase() == Phase.RUNNING
        && !now.status().ready()
        && pods.hasProcess(now)) {
      pods.setStatus(now, now.status().withReady(true));
    }
  }
}
