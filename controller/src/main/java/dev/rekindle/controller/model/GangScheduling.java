package dev.rekindle.controller.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who decides when the pods of a job may start as a whole, and so who may stop and start it. Two
 * may have a say: a job that Kueue admits may have its pods placed by a gang scheduler.
 */
public sealed interface GangScheduling {
  /** The plain scheduler: pod by pod. */
  record None() implements GangScheduling {}

  /**
   * Kueue: it owns {@code runPolicy.suspend} and admits the job by quota.
   *
   * @param queue the LocalQueue that the job names; empty where only a Workload shows that Kueue
   *     has the job
   * @param workload what Kueue keeps of the job; absent while none is seen
   */
  record Kueue(String queue, @Nullable WorkloadView workload) implements GangScheduling {}

  /**
   * The group that a gang scheduler counts a pod to.
   *
   * @param scheduler whose group it is
   * @param name name of the PodGroup, in the pod's namespace
   */
  record Group(Scheduler scheduler, String name) {
    /** Of a pod that no gang scheduler places. */
    public static final Group NONE = new Group(Scheduler.NONE, "");

    /** The group of the first pod that has one. */
    public static Group of(List<PodView> pods) {
      return pods.stream()
          .map(PodView::group)
          .filter(group -> group.scheduler() != Scheduler.NONE)
          .findFirst()
          .orElse(NONE);
    }
  }

  /** Gang schedulers that are recognised. */
  enum Scheduler {
    NONE(""),
    /** The scheduler plugin Coscheduling. */
    COSCHEDULING("Coscheduling"),
    /** Volcano. */
    VOLCANO("Volcano");

    private final String title;

    Scheduler(String title) {
      this.title = title;
    }

    /** Its name for people. */
    public String title() {
      return title;
    }
  }
}
