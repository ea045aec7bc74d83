package dev.rekindle.testbed.fidelity;

import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A cluster with the training operator and without Rekindle, for one scenario. Writes answer with
 * the status code of the API server; 200 stands for every success. Jobs are named by a letter, pods
 * by the letter of their job, role and index.
 */
interface Subject extends AutoCloseable {
  /** Code of a call that succeeded. */
  int OK = 200;

  /** Creates a job. */
  int create(String job, IdleJobSpec spec);

  /** Sets {@code spec.runPolicy.suspend}. */
  int suspend(String job, boolean suspend);

  /** Writes the attempt into the templates, and whether they keep off the lone node. */
  int template(String job, String attempt, boolean offTheLoneNode);

  /** Takes the Failed condition off the status. */
  int revive(String job);

  /** Writes an annotation of the job, only if it still is of that version. */
  int annotate(String job, long version, String value);

  /** Deletes the job, in the background as kubectl does. */
  int delete(String job);

  /**
   * Deletes a pod.
   *
   * @param uid precondition, empty for none
   * @param grace absent for the pod's own
   */
  int deletePod(String job, String rank, String uid, @Nullable Duration grace);

  /** Sets or takes away a finalizer of the pod. */
  int hold(String job, String rank, boolean held);

  /** The process exits with that code; for 137 it is killed by SIGKILL. */
  void exit(String job, String rank, int code);

  /** Whether a process of this pod executes or could: started, and not ended. */
  boolean processOf(PodView pod);

  /** The lone node hangs, with all that runs on it. */
  void freeze();

  /** The single node is no longer heard of, and its processes continue. */
  void cutOff();

  /** It resumes, or is heard of again. */
  void thaw();

  /** The lone node. */
  NodeView loneNode();

  /** Whether the node lifecycle controller keeps new pods off the lone node, by a taint. */
  boolean keepsPodsOffTheLoneNode();

  /** The job as the API server has it. */
  Optional<JobView> job(String job);

  /** Its resource version. */
  long version(String job);

  /** Pods of the job. */
  List<PodView> pods(String job);

  /**
   * Pods of the job as they were when the cluster had that version, which counts the changes of all
   * objects: what two watches show has no order.
   */
  List<PodView> podsAt(String job, long version);

  /** Pods of this scenario on the lone node, by a field selector. */
  List<PodView> podsOnTheLoneNode();

  /** The present. */
  Instant now();

  /** Lets time pass. */
  void pass(Duration time);

  /** Waits until the condition holds; false if it does not hold within the limit. */
  boolean until(Duration limit, BooleanSupplier so);

  /** Everything that the watches showed, in the order of each watch. */
  List<ObjectVersion> objectVersions();

  @Override
  void close();
}
