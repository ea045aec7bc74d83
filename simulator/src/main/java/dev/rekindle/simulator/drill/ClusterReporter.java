package dev.rekindle.simulator.drill;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.RestartObject;
import dev.rekindle.simulator.world.SimEvent;
import dev.rekindle.simulator.world.SimEvent.Kind;
import dev.rekindle.simulator.world.TrainingView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the cluster after every event and reports what is new, in the few lines that a person can
 * follow: 24 pods that end are one line, not 24. What the cluster itself calls a fault, a change of
 * a node or of the controller is passed on as it is.
 */
final class ClusterReporter {
  private static final Set<Kind> PASSED_ON = EnumSet.of(Kind.FAULT, Kind.NODE, Kind.CONTROLLER);

  private final Simulation simulation;
  private final Consumer<SimEvent> events;
  private final Map<String, Integer> timelines = new HashMap<>();
  private final Map<String, Instant> created = new LinkedHashMap<>();
  private final Set<String> cordoned = new HashSet<>();
  private final PodTally pods = new PodTally();
  private final AgentTally agents = new AgentTally();
  private final Map<String, RestartInstruction> orders = new HashMap<>();

  private final List<SimEvent> ended = new ArrayList<>();

  private boolean suspended;
  private JobView.Finish finish = JobView.Finish.NOT_FINISHED;
  private long checkpoint;
  private boolean moving;
  private long reached;
  private String trainsAs = "";
  private @Nullable Instant trainsAgain;
  private boolean past;

  ClusterReporter(Simulation simulation, Consumer<SimEvent> events) {
    this.simulation = simulation;
    this.events = events;
    simulation.listen(this::hear);
  }

  /** The newest step that the first generation made. */
  long reached() {
    return reached;
  }

  /** Whether a later generation made a newer one. */
  boolean past() {
    return past;
  }

  /** When a later generation made its first step, if one did. */
  @Nullable Instant trainsAgain() {
    return trainsAgain;
  }

  /** When each recovery came to be, by name. */
  Map<String, Instant> created() {
    return created;
  }

  private void hear(SimEvent happening) {
    if (PASSED_ON.contains(happening.kind())) {
      events.accept(happening);
    }
    if (happening.kind() == Kind.POD) {
      ended.add(happening);
    }
  }

  /** Reports what is new since the last call. */
  void observe() {
    JobView job = simulation.job(DrillSetup.JOB);
    List<PodView> gang = simulation.pods(DrillSetup.JOB);
    lookAtRecoveries();
    lookAtNodes();
    lookAtEnds();
    lookAtJob(job);
    lookAtOrders();
    pods.observe(simulation.now(), job, gang).ifPresent(text -> report(Kind.POD, text));
    lookAtTraining();
  }

  private void lookAtOrders() {
    for (OrderObject order : simulation.world().orders().list()) {
      RestartInstruction instruction = order.spec().instruction();
      if (orders.put(order.meta().name(), instruction) != instruction) {
        report(
            Kind.AGENT,
            switch (instruction) {
              case LOOK -> "agents inspect the ranks of the gang";
              case FREEZE -> "agents are ordered to freeze the gang";
              case RESTART_LEADER -> "the agent of rank 0 is ordered to kill its container";
              case RESTART_ALL -> "agents are ordered to kill what is frozen";
            });
      }
    }
    agents
        .observe(
            simulation.now(),
            simulation.world().restarts().list().stream().map(RestartObject::spec).toList())
        .ifPresent(text -> report(Kind.AGENT, text));
  }

  private void lookAtRecoveries() {
    for (RecoveryView recovery : simulation.recoveries(DrillSetup.JOB)) {
      created.putIfAbsent(recovery.name(), simulation.now());
      RecoveryStatus status = recovery.status();
      if (status == null) {
        continue;
      }
      int from = timelines.getOrDefault(recovery.name(), 0);
      List<TimelineEntry> entries = status.timeline();
      for (int i = from; i < entries.size(); i++) {
        String text = entries.get(i).phase().word() + ": " + entries.get(i).detail();
        report(Kind.RECOVERY, recovery.name(), text);
      }
      timelines.put(recovery.name(), entries.size());
    }
  }

  private void lookAtNodes() {
    for (NodeView node : simulation.nodes()) {
      if (node.unschedulable() && cordoned.add(node.name())) {
        String by = node.fencedByUs() ? ", fenced by " + node.fencedBy() : " by others";
        report(Kind.NODE, node.name(), "cordoned" + by);
      }
      if (!node.unschedulable() && cordoned.remove(node.name())) {
        report(Kind.NODE, node.name(), "schedulable again");
      }
    }
  }

  private void lookAtEnds() {
    if (!ended.isEmpty()
        && !simulation.now().isBefore(ended.getFirst().at().plus(PodTally.TOGETHER))) {
      SimEvent first = ended.getFirst();
      int others = ended.size() - 1;
      ended.clear();
      String more = others == 0 ? "" : ", and those of %d others".formatted(others);
      report(Kind.POD, first.subject(), first.text() + more);
    }
  }

  private void lookAtJob(JobView job) {
    if (job.finish() != finish) {
      finish = job.finish();
      report(
          Kind.JOB,
          switch (finish) {
            case FAILED -> "the training operator calls it Failed: " + job.finishMessage();
            case SUCCEEDED -> "succeeded";
            case NOT_FINISHED -> "no longer Failed";
          });
    }
    if (job.suspended() != suspended) {
      suspended = job.suspended();
      report(
          Kind.JOB,
          suspended
              ? "suspended by " + (job.suspendedBy().isEmpty() ? "its user" : job.suspendedBy())
              : "resumed as attempt " + job.attempt());
    }
  }

  private void lookAtTraining() {
    TrainingView training = simulation.training(DrillSetup.JOB);
    boolean again = !training.attempt().isEmpty();
    if (training.newestCheckpoint() != checkpoint) {
      boolean back = training.newestCheckpoint() < checkpoint;
      checkpoint = training.newestCheckpoint();
      if (!past) {
        report(
            Kind.TRAINING,
            back
                ? "the newest checkpoint that is whole is now that of step " + checkpoint
                : "checkpoint of step " + checkpoint);
      }
    }
    if (!again && trainsAs.isEmpty()) {
      reached = Math.max(reached, training.step());
    }
    if (training.moving() != moving) {
      moving = training.moving();
      if (!moving && !past) {
        report(Kind.TRAINING, "stands at step " + training.step());
      }
    }
    if (moving && again && !training.attempt().equals(trainsAs)) {
      trainsAs = training.attempt();
      trainsAgain = simulation.now();
      report(Kind.TRAINING, "trains again: step " + training.step());
    }
    if (again && !past && moving && training.step() > reached) {
      past = true;
      report(Kind.TRAINING, "past step " + reached + ", which it had reached before the fault");
    }
  }

  /** Whether nothing more is to come: training is past its old step and every recovery is over. */
  boolean over() {
    List<RecoveryView> recoveries = simulation.recoveries(DrillSetup.JOB);
    return past && !recoveries.isEmpty() && recoveries.stream().noneMatch(RecoveryView::open);
  }

  /** Whether all recoveries ended well, and there is one. */
  static boolean allRecovered(List<RecoveryView> recoveries) {
    return !recoveries.isEmpty()
        && recoveries.stream()
            .allMatch(r -> r.status() != null && r.status().phase() == RecoveryPhase.RECOVERED);
  }

  private void report(Kind kind, String text) {
    report(kind, DrillSetup.JOB.name(), text);
  }

  private void report(Kind kind, String subject, String text) {
    events.accept(new SimEvent(simulation.now(), kind, subject, text));
  }
}
