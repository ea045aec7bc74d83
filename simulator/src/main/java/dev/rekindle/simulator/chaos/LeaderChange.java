package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 75: once everything has come to rest, and no process has written anything for a minute,
 * a new leader writes nothing that the former one would not have written. It knows only what is
 * stored, and looks at all of it: what it finds to do the former one has forgotten, has not looked
 * at again, or has stored otherwise than it is. Bound: {@link #WATCHED} after the leader has died.
 *
 * <p>Some things are due by then in any case. So where a new leader writes, {@link SeedRun} plays
 * the seed once more with the leader alive, and only what that one leaves undone for longer breaks
 * the invariant.
 */
final class LeaderChange extends Check {
  /** Nothing that waits for a shorter time is left after it. */
  private static final Duration QUIET = Duration.ofSeconds(60);

  /** A lease runs out, the watches of the next one are there, and it has gone through all. */
  private static final Duration WATCHED = Duration.ofSeconds(75);

  /**
   * What a new leader does at once may be due to the former one so much later: an inspector is
   * requested again after 75 s, and what is refused after two minutes.
   */
  private static final Duration LATER = Duration.ofMinutes(6);

  /** Where it does not become quiet something waits for its time, or is refused for good. */
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  /**
   * Those that write at each call. Of the others some only read, some say or count again, and some
   * write what may be there already: these are judged by what is there before and after. Which job
   * of a namespace has the last warm spare is up to the order in which they are looked at (seed
   * 2699).
   */
  private static final Set<Call> WRITES =
      EnumSet.of(
          Call.OPEN,
          Call.SAVE,
          Call.REMOVE,
          Call.CORDON,
          Call.RELEASE,
          Call.SUSPEND,
          Call.REVIVE,
          Call.RESUME,
          Call.HOLD_QUEUE,
          Call.RELEASE_QUEUE,
          Call.REQUEUE,
          Call.DELETE_POD,
          Call.ORDER,
          Call.WITHDRAW);

  private static final String UNSTEADY = "has stood, or begun of late";

  private final Set<String> written = new TreeSet<>();
  private Map<String, String> steady = Map.of();
  private Instant last = Instant.MIN;
  private boolean watching;
  private boolean undisturbed;

  LeaderChange(World world, Invariants all) {
    super(world, all, Invariant.LEADER_CHANGE);
  }

  @Override
  public void called(Call call, @Nullable JobKey job) {
    if (WRITES.contains(call)) {
      last = now();
      if (watching && jobs().equals(steady)) {
        written.add("%s of %s".formatted(call, job == null ? "a node" : job.toString()));
      }
    }
  }

  /** What was written while it was watched: a call, or an object of which something has changed. */
  Set<String> written() {
    return written;
  }

  /** Whether it was watched to the end, and nothing happened to a job meanwhile. */
  boolean undisturbed() {
    return undisturbed;
  }

  /**
   * Watches what is written once it is quiet. Not after a clock was wrong: what was stored by it
   * stays wrong, and the next leader goes by its own (seed 354).
   *
   * @param dies whether the leader dies first: what is written then breaks the invariant
   */
  void happen(Simulation simulation, Duration look, boolean dies) {
    Instant end = now().plus(PATIENCE);
    while (last.plus(QUIET).isAfter(now())) {
      if (!now().isBefore(end) || simulation.runUntil(this::isBroken, look)) {
        return;
      }
    }
    steady = jobs();
    if (clocksWereWrong() || steady.containsValue(UNSTEADY)) {
      return;
    }
    Map<String, String> before = marks();
    if (dies) {
      simulation.levers().controllerDies();
    }
    Instant watched = now().plus(dies ? WATCHED : WATCHED.plus(LATER));
    watching = true;
    boolean over = false;
    while (!over && now().isBefore(watched)) {
      over = simulation.runUntil(() -> isBroken() || (dies && !written.isEmpty()), look);
    }
    watching = false;
    undisturbed = jobs().equals(steady);
    if (undisturbed) {
      marks()
          .forEach(
              (what, marked) -> {
                if (!marked.equals(before.get(what))) {
                  written.add(what);
                }
              });
    }
    if (dies && !written.isEmpty()) {
      broken("a new leader writes %s, though all was at rest".formatted(written));
    }
  }

  /**
   * What each job does, by its UID: since when it trains, that it is suspended, or over. Where one
   * does something else later, what happened to it is the reason for a write.
   */
  private Map<String, String> jobs() {
    Map<String, String> jobs = new HashMap<>();
    for (JobObject job : world.jobs().all()) {
      Instant moves = world.gang(job.meta().uid()).training().movingSince().orElse(Instant.MAX);
      boolean over = job.status().finish() != Finish.NOT_FINISHED;
      String trains = moves.isAfter(now().minus(QUIET)) ? UNSTEADY : "trains since " + moves;
      jobs.put(job.meta().uid(), over ? "over" : job.suspend() ? "suspended" : trains);
    }
    return jobs;
  }

  /** What the controller writes on nodes, jobs and faults, by what it is of. */
  private Map<String, String> marks() {
    Map<String, String> marks = new HashMap<>();
    for (NodeObject node : world.nodes().all()) {
      marks.put(
          "node " + node.meta().name(),
          "cordoned %b, fenced by '%s' for '%s', incidents '%s', stalls '%s', lemon %b"
              .formatted(
                  node.unschedulable(),
                  node.fencedBy(),
                  node.fencedFor(),
                  // Decision 0137: a note that is taken off early is written again.
                  node.forgiven() ? "" : node.incidents(),
                  node.stalls(),
                  node.lemon()));
    }
    for (JobObject job : world.jobs().all()) {
      marks.put(
          "job " + job.key(),
          "suspended %b by '%s', %s".formatted(job.suspend(), job.suspendedMark(), job.template()));
    }
    for (FaultObject fault : world.faults().all()) {
      marks.put("fault " + fault.meta().name(), "active %b".formatted(fault.view().active()));
    }
    return marks;
  }
}
