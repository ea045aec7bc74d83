package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.PodView.Phase;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * How a kubelet ends the containers of deleted pods: those that are Terminating, and those whose
 * pod object is gone already.
 */
final class PodDeletion {
  /** A container gets so long at least, whatever the grace period says. */
  private static final Duration LEAST_GRACE = Duration.ofSeconds(2);

  /** Until a container is ended of which the pod object is gone. */
  private static final Duration ORPHAN_ENDS = Duration.ofSeconds(3);

  /** Ending what does not run. */
  private static final Duration NOTHING_TO_END = Duration.ofMillis(300);

  /** Between two tries to end what does not end. */
  private static final Duration LOOKS_AGAIN = Duration.ofSeconds(1);

  private final World world;
  private final Machine machine;
  private final KubeletPods pods;
  private final Predicate<PodObject> waitsForMaster;
  private final Consumer<PodObject> forget;

  /** Pods whose containers it ends, by UID. */
  private final Set<String> ending = new HashSet<>();

  /** Pods that are deleted from the API server and whose process runs, by UID. */
  private final Map<String, PodObject> orphans = new HashMap<>();

  /**
   * @param waitsForMaster whether the init container of the pod still waits for its master
   * @param forget drops all data of a pod that the kubelet keeps
   */
  PodDeletion(
      World world,
      Machine machine,
      KubeletPods pods,
      Predicate<PodObject> waitsForMaster,
      Consumer<PodObject> forget) {
    this.world = world;
    this.machine = machine;
    this.pods = pods;
    this.waitsForMaster = waitsForMaster;
    this.forget = forget;
  }

  /** A grace period that has begun is never shortened, whatever the object says later. */
  void begin(PodObject pod) {
    if (ending.add(pod.meta().uid())) {
      world.loop().after(untilEnded(pod), () -> containersEnd(pod));
    }
  }

  boolean isUnderWay(PodObject pod) {
    return ending.contains(pod.meta().uid());
  }

  void forget(PodObject pod) {
    ending.remove(pod.meta().uid());
  }

  private Duration untilEnded(PodObject pod) {
    Long asked = pod.meta().deletionGrace();
    Duration grace = Duration.ofSeconds(asked == null ? 0 : asked);
    if (grace.compareTo(LEAST_GRACE) < 0) {
      grace = LEAST_GRACE;
    }
    if (!pods.hasProcess(pod)) {
      // An init container that waits for a name is a shell, which heeds no signal.
      return waitsForMaster.test(pod) ? grace : NOTHING_TO_END;
    }
    if (pods.isFrozen(pod)) {
      return grace;
    }
    Duration heeds = world.timing().terminate();
    return heeds.compareTo(grace) < 0 ? world.jitter(heeds) : grace;
  }

  /** The grace period is over, or an agent has killed the container before. */
  void containersEnd(PodObject pod) {
    if (!ending.contains(pod.meta().uid())) {
      return;
    }
    if (!machine.answers()) {
      // Done again when the kubelet syncs everything.
      ending.remove(pod.meta().uid());
      return;
    }
    if (pods.isFrozen(pod) && machine.freezesDeaf) {
      // Not even SIGKILL is heeded: its agent has to end it, or to thaw it.
      world.loop().after(LOOKS_AGAIN, () -> containersEnd(pod));
      return;
    }
    boolean ran = pods.hasProcess(pod);
    pods.endProcess(pod);
    orphans.remove(pod.meta().uid());
    PodObject now = pods.current(pod);
    if (now != null && now.live()) {
      PodObject.Status was = now.status();
      Instant exit = ran ? world.now().truncatedTo(ChronoUnit.SECONDS) : was.lastExit();
      pods.setStatus(
          now,
          new PodObject.Status(Phase.FAILED, false, false, was.restarts(), exit, was.failure()));
    }
    world.loop().after(world.jitter(Kubelet.NEXT), () -> confirmEnd(pod));
  }

  private void confirmEnd(PodObject pod) {
    ending.remove(pod.meta().uid());
    if (machine.answers()) {
      forget.accept(pod);
      world.spiderpool().detach(pod);
      if (pods.current(pod) != null) {
        pods.remove(pod);
      }
    }
  }

  /**
   * The object of the pod is gone; its process runs on for a while.
   *
   * @param underWay whether its end had begun: a forced removal does not hurry it, it takes its
   *     grace period
   */
  void orphaned(PodObject pod, boolean underWay) {
    orphans.put(pod.meta().uid(), pod);
    if (underWay) {
      ending.add(pod.meta().uid());
    } else {
      endOrphanLater(pod);
    }
  }

  private void endOrphanLater(PodObject pod) {
    world
        .loop()
        .after(
            world.jitter(ORPHAN_ENDS),
            () -> {
              if (machine.runs()) {
                orphans.remove(pod.meta().uid());
                pods.endProcess(pod);
                world.spiderpool().detach(pod);
              }
            });
  }

  /** The node answers again. */
  void back() {
    List.copyOf(orphans.values()).forEach(this::endOrphanLater);
  }

  /** The machine has lost its power. */
  void powerLost() {
    List.copyOf(orphans.values()).forEach(pods::endProcess);
    orphans.clear();
    ending.clear();
  }
}
