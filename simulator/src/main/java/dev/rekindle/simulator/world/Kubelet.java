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
 * end of deleted pods. While its node does not answer it does nothing; when it does again it looks
 * at everything. How long it takes for what is measured: {@code testbed/.../fidelity} plays the
 * same scenarios on a real one.
 */
final class Kubelet {
  private static final Duration FIRST_BACKOFF = Duration.ofSeconds(10);
  private static final Duration LONGEST_BACKOFF = Duration.ofMinutes(5);

  /** A container that ran for so long has not crashed in a loop. */
  private static final Duration STABLE = Duration.ofMinutes(10);

  /** A container gets so long at least, whatever the grace period says. */
  private static final Duration LEAST_GRACE = Duration.ofSeconds(2);

  /** Until it sees that a container has ended: it looks every second. */
  private static final Duration NOTICES = Duration.ofMillis(800);

  /** From one step of a pod's end to the next, and from a container's end to its restart. */
  private static final Duration NEXT = Duration.ofMillis(900);

  /** Until a container is ended of which the pod object is gone. */
  private static final Duration ORPHAN_ENDS = Duration.ofSeconds(3);

  /** After the node answers again, until it says that its pods are ready. */
  private static final Duration READY_AGAIN = Duration.ofSeconds(4);

  /** Ending what does not run. */
  private static final Duration NOTHING_TO_END = Duration.ofMillis(300);

  /** From the master's name to the start of a worker that waits for it. */
  private static final Duration NAME_FOUND = Duration.ofMillis(1200);

  /** Between two tries to end what does not end. */
  private static final Duration LOOKS_AGAIN = Duration.ofSeconds(1);

  private static final int SIGNALS = 128;

  private final World world;
  private final Machine machine;

  /** Pods that it takes care of, by UID. */
  private final Map<String, PodObject> known = new HashMap<>();

  /** Those that it ends. */
  private final Set<String> ending = new HashSet<>();

  /** Workers that are ready to start but for the name of their master. */
  private final Set<String> waiting = new HashSet<>();

  private record Crashes(int count, Instant started) {}

  /** Crashes without a long run in between, and when it was started last, by UID. */
  private final Map<String, Crashes> crashes = new HashMap<>();

  /** Those that the API no longer knows. */
  private final Map<String, PodObject> orphans = new HashMap<>();

  Kubelet(World world, Machine machine) {
    this.world = world;
    this.machine = machine;
  }

  void changed(Change<PodObject> change) {
    if (machine.answers()) {
      world.loop().after(world.timing().watchLag(), () -> look(change.object().meta().key()));
    } else if (change.after() == null) {
      RankProcess process = process(change.object());
      if (process != null) {
        process.orphaned = true;
        process.orphanedUnheard = true;
      }
    }
  }

  private void look(String key) {
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
      terminate(pod);
    } else if (!known.containsKey(uid) && pod.live()) {
      known.put(uid, pod);
      world.loop().after(world.jitter(world.timing().podStart()), () -> prepared(pod));
    }
  }

  // --- starting -------------------------------------------------------------------------------

  /**
   * Volumes, address and image are there. A worker's init container waits for the master's name.
   */
  private void prepared(PodObject pod) {
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
    PodObject now = current(pod);
    if (now == null
        || now.meta().terminating()
        || !now.live()
        || !machine.answers()
        || process(now) != null) {
      return;
    }
    String uid = pod.meta().uid();
    int before = restarts == 0 ? 0 : crashes(uid).count();
    crashes.put(uid, new Crashes(before, world.now()));
    PodObject.Status was = now.status();
    PodObject.Status runs =
        new PodObject.Status(Phase.RUNNING, true, true, restarts, was.lastExit(), last);
    status(now, runs);
    world.gang(pod.job(), pod.meta().owner()).start(now.with(runs), machine);
  }

  private Crashes crashes(String uid) {
    return crashes.getOrDefault(uid, new Crashes(0, world.now()));
  }

  // --- ends by themselves ---------------------------------------------------------------------

  /** The process of a pod has come to an end by itself. */
  void exited(RankProcess process, int code) {
    PodObject pod = known.get(process.podUid);
    if (pod != null && machine.powered) {
      world.loop().after(world.jitter(NOTICES), () -> noticed(pod, code));
    }
  }

  /** An agent has killed the container of a pod that is being deleted: nobody waits any longer. */
  void killed(RankProcess process) {
    PodObject pod = known.get(process.podUid);
    if (pod != null && ending.contains(process.podUid)) {
      world.loop().after(world.jitter(NOTICES), () -> containersEnd(pod));
    }
  }

  private void noticed(PodObject pod, int code) {
    PodObject now = current(pod);
    // While it does not answer the API knows nothing of it; told when it does again, and once.
    if (machine.answers()
        && now != null
        && now.status().running()
        && now.live()
        && !now.meta().terminating()
        && process(now) == null) {
      ended(now, code);
    }
  }

  private void ended(PodObject pod, int code) {
    world.tell(Kind.POD, pod.meta().name(), "its process ended with code " + code);
    PodObject.Status was = pod.status();
    Instant at = world.now().truncatedTo(ChronoUnit.SECONDS);
    Failure failure = code == 0 ? null : failure(code);
    boolean restarts =
        pod.restart() == RestartPolicy.ALWAYS
            || (pod.restart() == RestartPolicy.ON_FAILURE && code != 0);
    status(pod, new PodObject.Status(Phase.RUNNING, false, false, was.restarts(), at, failure));
    if (restarts) {
      restart(pod, was.restarts() + 1, at, failure);
    } else {
      Phase phase = code == 0 ? Phase.SUCCEEDED : Phase.FAILED;
      later(
          pod,
          NEXT,
          now ->
              status(now, new PodObject.Status(phase, false, false, was.restarts(), at, failure)));
    }
  }

  /** Soon the first time, then after ten seconds, doubling. */
  private void restart(PodObject pod, int restarts, Instant at, @Nullable Failure failure) {
    String uid = pod.meta().uid();
    Crashes last = crashes(uid);
    boolean stable = Duration.between(last.started(), world.now()).compareTo(STABLE) >= 0;
    int count = stable ? 0 : last.count();
    crashes.put(uid, new Crashes(count + 1, last.started()));
    if (count == 0) {
      later(pod, NEXT, now -> start(now, restarts, failure));
      return;
    }
    Failure loop = new Failure("CrashLoop", false, "container waits (CrashLoopBackOff)");
    later(
        pod,
        backoff(count),
        now -> {
          if (process(now) == null) {
            status(now, new PodObject.Status(Phase.RUNNING, false, false, restarts - 1, at, loop));
            later(now, NEXT, again -> start(again, restarts, failure));
          }
        });
  }

  private static Duration backoff(int crashes) {
    Duration doubled = FIRST_BACKOFF.multipliedBy(1L << Math.min(10, crashes - 1));
    return doubled.compareTo(LONGEST_BACKOFF) < 0 ? doubled : LONGEST_BACKOFF;
  }

  private static Failure failure(int code) {
    return code > SIGNALS
        ? new Failure("Signal", false, "container ended by signal " + (code - SIGNALS))
        : new Failure("ExitCode", false, "container ended with code " + code);
  }

  /** Goes on with the pod after a while, unless it is being deleted, gone, or cannot be seen. */
  private void later(PodObject pod, Duration delay, Consumer<PodObject> step) {
    world
        .loop()
        .after(
            world.jitter(delay),
            () -> {
              PodObject now = current(pod);
              if (now != null && machine.answers() && now.live() && !now.meta().terminating()) {
                step.accept(now);
              }
            });
  }

  // --- deletion -------------------------------------------------------------------------------

  /** A grace period that has begun is never shortened, whatever the object says later. */
  private void terminate(PodObject pod) {
    if (ending.add(pod.meta().uid())) {
      world.loop().after(untilEnded(pod), () -> containersEnd(pod));
    }
  }

  private Duration untilEnded(PodObject pod) {
    Long asked = pod.meta().deletionGrace();
    Duration grace = Duration.ofSeconds(asked == null ? 0 : asked);
    if (grace.compareTo(LEAST_GRACE) < 0) {
      grace = LEAST_GRACE;
    }
    if (process(pod) == null) {
      // An init container that waits for a name is a shell, which heeds no signal.
      return waiting.contains(pod.meta().uid()) ? grace : NOTHING_TO_END;
    }
    if (frozen(pod)) {
      return grace;
    }
    Duration heeds = world.timing().terminate();
    return heeds.compareTo(grace) < 0 ? world.jitter(heeds) : grace;
  }

  private void containersEnd(PodObject pod) {
    if (!ending.contains(pod.meta().uid())) {
      return;
    }
    if (!machine.answers()) {
      // Done again when it looks at everything.
      ending.remove(pod.meta().uid());
      return;
    }
    if (frozen(pod) && machine.freezesDeaf) {
      // Not even SIGKILL is heeded: its agent has to end it, or to thaw it.
      world.loop().after(LOOKS_AGAIN, () -> containersEnd(pod));
      return;
    }
    boolean ran = process(pod) != null;
    endProcess(pod);
    orphans.remove(pod.meta().uid());
    PodObject now = current(pod);
    if (now != null && now.live()) {
      PodObject.Status was = now.status();
      Instant exit = ran ? world.now().truncatedTo(ChronoUnit.SECONDS) : was.lastExit();
      status(
          now,
          new PodObject.Status(Phase.FAILED, false, false, was.restarts(), exit, was.failure()));
    }
    world.loop().after(world.jitter(NEXT), () -> confirmEnd(pod));
  }

  private void confirmEnd(PodObject pod) {
    ending.remove(pod.meta().uid());
    if (machine.answers()) {
      forget(pod);
      if (current(pod) != null) {
        world.pods().delete(pod.meta().key(), pod.meta().uid(), Duration.ZERO);
      }
    }
  }

  private void forget(PodObject pod) {
    String uid = pod.meta().uid();
    known.remove(uid);
    ending.remove(uid);
    waiting.remove(uid);
    crashes.remove(uid);
  }

  private @Nullable RankProcess process(PodObject pod) {
    return world.gang(pod.job(), pod.meta().owner()).processes().find(pod.meta().uid());
  }

  private boolean frozen(PodObject pod) {
    RankProcess process = process(pod);
    return process != null && process.frozen;
  }

  private void endProcess(PodObject pod) {
    RankProcess process = process(pod);
    if (process != null) {
      world.gang(pod.job(), pod.meta().owner()).end(process);
    }
  }

  /** Containers of pods that the API no longer knows; they run on for a while. */
  private void endOrphans() {
    for (PodObject pod : List.copyOf(known.values())) {
      if (current(pod) == null) {
        boolean underWay = ending.contains(pod.meta().uid());
        forget(pod);
        RankProcess process = process(pod);
        if (process != null) {
          process.orphaned = true;
          orphans.put(pod.meta().uid(), pod);
          // A forced removal does not hurry an end that has begun: it takes its grace period.
          if (underWay) {
            ending.add(pod.meta().uid());
          } else {
            world.loop().after(world.jitter(ORPHAN_ENDS), () -> endOrphan(pod));
          }
        }
      }
    }
  }

  private void endOrphan(PodObject pod) {
    if (machine.runs()) {
      orphans.remove(pod.meta().uid());
      endProcess(pod);
    }
  }

  private @Nullable PodObject current(PodObject pod) {
    return world
        .pods()
        .find(pod.meta().key())
        .filter(p -> p.meta().uid().equals(pod.meta().uid()))
        .orElse(null);
  }

  private void status(PodObject pod, PodObject.Status status) {
    world.pods().patch(pod.meta().key(), p -> p.with(status));
  }

  // --- the machine ----------------------------------------------------------------------------

  /** The machine has lost its power: nothing of what ran on it runs any more. */
  void powerLost() {
    for (PodObject pod : List.copyOf(known.values())) {
      endProcess(pod);
    }
    for (PodObject pod : List.copyOf(orphans.values())) {
      endProcess(pod);
    }
    orphans.clear();
    ending.clear();
    waiting.clear();
  }

  /** It is the kubelet of another machine, which knows nothing of what ran on the former one. */
  void exchanged() {
    known.clear();
    crashes.clear();
  }

  /** The node answers again. */
  void back() {
    for (PodObject pod : List.copyOf(orphans.values())) {
      world.loop().after(world.jitter(ORPHAN_ENDS), () -> endOrphan(pod));
    }
    endOrphans();
    for (PodObject pod : world.pods().list("spec.nodeName", machine.name())) {
      String uid = pod.meta().uid();
      if (pod.meta().terminating()) {
        known.putIfAbsent(uid, pod);
        terminate(pod);
        world.loop().after(world.jitter(NEXT), () -> readyAgain(pod));
      } else if (!known.containsKey(uid)) {
        look(pod.meta().key());
      } else if (pod.status().phase() == Phase.PENDING) {
        known.remove(uid);
        waiting.remove(uid);
        look(pod.meta().key());
      } else if (pod.status().phase() == Phase.RUNNING) {
        found(pod);
      }
    }
  }

  /** A pod that was running when the node was heard of last. */
  private void found(PodObject pod) {
    if (process(pod) == null) {
      ended(pod, SIGNALS + 9);
    } else if (!pod.status().ready()) {
      world.loop().after(world.jitter(READY_AGAIN), () -> readyAgain(pod));
    }
  }

  /** Says so of one that runs, also while it ends it. */
  private void readyAgain(PodObject pod) {
    PodObject now = current(pod);
    if (now != null
        && machine.answers()
        && now.status().phase() == Phase.RUNNING
        && !now.status().ready()
        && process(now) != null) {
      status(now, now.status().withReady(true));
    }
  }
}
