package dev.rekindle.detect.restart;

import dev.rekindle.api.RestartInstruction;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.logging.LogKey;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does for one order what is to be done on this node now. */
final class OrderExecution {
  private static final Logger LOG = LoggerFactory.getLogger(OrderExecution.class);

  private final boolean enabled;
  private final RestartConsent jobs;
  private final RestartJournal notes;
  private final InstantSource counted;
  private final RestartMetrics metrics;
  private final OrderEvidence evidence;
  private final ContainerActions acts;
  private final OrderReporter reporter;

  OrderExecution(
      boolean enabled,
      RestartConsent jobs,
      RestartJournal notes,
      InstantSource counted,
      RestartMetrics metrics,
      OrderEvidence evidence,
      ContainerActions acts,
      OrderReporter reporter) {
    this.enabled = enabled;
    this.jobs = jobs;
    this.notes = notes;
    this.counted = counted;
    this.metrics = metrics;
    this.evidence = evidence;
    this.acts = acts;
    this.reporter = reporter;
  }

  /** Works on one order; says whether there is more to come. */
  boolean work(Order order, Collection<TrainingPod> here, OrderWork work) {
    var now = counted.instant();
    if (!reporter.recall(order, here, work, now)) {
      return true;
    }
    var report = work.report;
    if (report != null && isLast(order, report.getSpec().done())) {
      return false;
    }
    if (order.concerned(here).isEmpty() && notes.of(order.uid()).isEmpty()) {
      return false;
    }
    if (work.problem.isEmpty() && !work.allowed && !isAllowed(order, here, work)) {
      return true;
    }
    act(order, here, work);
    if (work.problem.isEmpty()) {
      problem(
          order, work, RestartDraft.problem(order, here, notes.of(order.uid()), counted.instant()));
    }
    reporter.report(order, here, work);
    return true;
  }

  /** Whether nothing is left to do for the order as it is. */
  private static boolean isLast(Order order, @Nullable RestartInstruction done) {
    return done == RestartInstruction.RESTART_ALL
        || (done == RestartInstruction.LOOK && order.instruction() == RestartInstruction.LOOK);
  }

  private void act(Order order, Collection<TrainingPod> here, OrderWork work) {
    var known = notes.of(order.uid());
    var stuck = !work.problem.isEmpty();
    for (var act : RestartDecision.decide(order, here, known, stuck, counted.instant())) {
      var pod = here.stream().filter(one -> one.uid().equals(act.note().podUid())).findFirst();
      if (act instanceof RestartAction.Freeze
          && pod.filter(one -> !known.containsKey(one.uid()) && evidence.isSought(order, one))
              .isPresent()) {
        continue;
      }
      // What fails for one pod must not leave another one as it is.
      try {
        acts.perform(act, pod);
      } catch (IOException | RuntimeException e) {
        problem(order, work, "pod " + act.note().pod() + ": " + e.getMessage());
      }
    }
    for (var note : notes.of(order.uid()).values()) {
      try {
        notes.write(note.until(order.until()));
      } catch (IOException e) {
        problem(order, work, "the notes cannot be kept: " + e.getMessage());
      }
    }
  }

  private boolean isAllowed(Order order, Collection<TrainingPod> here, OrderWork work) {
    if (!notes.of(order.uid()).isEmpty()) {
      work.allowed = true;
      return true;
    }
    if (!enabled) {
      problem(order, work, "freezing is switched off on this node (agent.freeze.enabled)");
      return true;
    }
    var allowed = jobs.of(order.concerned(here).iterator().next());
    if (allowed.isEmpty()) {
      return false;
    }
    if (allowed.get()) {
      work.allowed = true;
    } else {
      problem(order, work, "job " + order.job() + " has not opted in to restarts");
    }
    return true;
  }

  private void problem(Order order, OrderWork work, String problem) {
    if (problem.isEmpty() || !work.problem.isEmpty()) {
      return;
    }
    work.problem = problem;
    metrics.problem();
    LOG.atError()
        .addKeyValue(LogKey.JOB.key(), order.namespace() + "/" + order.job())
        .addKeyValue(LogKey.ORDER.key(), order.name())
        .addKeyValue(LogKey.ERROR.key(), problem)
        .log("Cannot carry out a RestartOrder on this node");
  }
}
