package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NodeIncidentHistory;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 54: an ended recovery leaves its notes and nothing else. The nodes that it blames for
 * their silence carry a note, and no template prefers planned nodes any more. Bound: {@link #BOUND}
 * of calm, whichever process has ended in between; nothing is checked where the API server refuses
 * the write permanently. Why: later verdicts on a node use its notes, and tools of the owner report
 * differences in the template. An inspector ends by its own deadline.
 */
final class Leftovers extends Check {
  private static final Duration BOUND = Duration.ofMinutes(2);

  /** What is so near in time is one trouble of a node. */
  private static final Duration SAME = Duration.ofMinutes(31);

  /** A note that is to stand on a Node. */
  private record Note(
      String node, String uid, String recovery, JobKey job, String jobUid, Instant since) {}

  private final Answers answers;
  private final Set<Note> notes = new HashSet<>();
  private final Overdue overdue = new Overdue(this);

  Leftovers(World world, Invariants all, Answers answers) {
    super(world, all, Invariant.LEFTOVERS);
    this.answers = answers;
    world.nodes().watch(this::nodeChanged);
  }

  private void nodeChanged(Change<NodeObject> change) {
    NodeObject before = change.before();
    NodeObject after = change.after();
    boolean forgiven =
        after == null
            || (before != null && !before.incidents().isEmpty() && after.incidents().isEmpty());
    if (forgiven) {
      notes.removeIf(note -> note.node().equals(change.key()));
    }
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    if (after == null || after.cause() == null || !isOver(after) || isOver(before.status())) {
      return;
    }
    Instant opened = Objects.requireNonNullElse(before.spec().detectedAt(), now());
    for (String name : after.cause().silentNodes()) {
      world
          .nodes()
          .find(name)
          // One that was created since is another machine, which has done nothing (seed 95270101).
          .filter(node -> !node.meta().created().truncatedTo(ChronoUnit.SECONDS).isAfter(opened))
          .ifPresent(
              node ->
                  notes.add(
                      new Note(
                          name,
                          node.meta().uid(),
                          before.meta().key(),
                          before.view().job(),
                          before.spec().jobUid(),
                          now())));
    }
  }

  @Override
  boolean isWaiting() {
    return !overdue.isEmpty();
  }

  @Override
  void look() {
    Set<String> found = new HashSet<>();
    if (!clocksWereWrong() && !answers.refusedForGood(Call.RECORD_INCIDENT)) {
      notes.removeIf(this::stands);
      notes.forEach(
          note ->
              found.add(
                  "node %s does not say that recovery %s was for its silence"
                      .formatted(note.node(), note.recovery())));
    }
    for (JobObject job : world.jobs().all()) {
      if (!job.template().planned().isEmpty()
          && open(job).isEmpty()
          && answers.forGood(job.key()).isEmpty()) {
        found.add("job %s takes its pods to %s".formatted(job.key(), job.template().planned()));
      }
    }
    overdue.endAllBut(found);
    for (String what : found) {
      if (overdue.lasts(what, BOUND)) {
        broken("since %s %s".formatted(overdue.since(what), what));
      }
    }
  }

  /**
   * Looks at the job request the note again, and there are none at one that is gone (seed 6555).
   */
  private boolean isGone(Note note) {
    return world
        .jobs()
        .find(note.job().toString())
        .filter(job -> job.meta().uid().equals(note.jobUid()))
        .isEmpty();
  }

  private boolean stands(Note note) {
    NodeObject node = world.nodes().find(note.node()).orElse(null);
    return node == null
        || isGone(note)
        || !node.meta().uid().equals(note.uid())
        || NodeIncidentHistory.parse(node.incidents()).entries().stream()
            .anyMatch(
                entry -> Duration.between(entry.at(), note.since()).abs().compareTo(SAME) < 0);
  }
}
