package dev.rekindle.controller.recovery;

import dev.rekindle.controller.fencing.NodeWrites;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes onto nodes what recoveries find out about them. What the API server does not accept is
 * retried by later reconciles of the job, with the pauses of {@link NodeWrites}, for an hour, and
 * for at most 64 notes of one job. After that it is lost: a note helps later verdicts, and no
 * recovery depends on it. Notes that are not written when this process ends are written by the next
 * one, if it takes over soon ({@link Takeover}).
 */
final class NodeNotes {
  private static final Logger LOG = LoggerFactory.getLogger(NodeNotes.class);

  private static final Duration KEPT = Duration.ofHours(1);
  private static final int MOST = 64;

  /** Until the next note where the last one was not accepted. */
  private static final Duration NEXT = Duration.ofSeconds(1);

  private final NodeWrites writes;
  private final InstantSource clock;
  private final Map<JobKey, Deque<Note>> open = new ConcurrentHashMap<>();

  private record Note(String node, String what, Runnable write, Instant since) {}

  NodeNotes(NodeWrites writes, InstantSource clock) {
    this.writes = writes;
    this.clock = clock;
  }

  /**
   * Writes the note on each of the nodes, now or later.
   *
   * @param what it is, for people: {@code note the stall of team/demo-r1}
   * @param write writes it on the node of that name; done twice it changes nothing
   */
  void write(JobKey job, Collection<String> nodes, String what, Consumer<String> write) {
    Deque<Note> notes = notes(job);
    for (String node : nodes) {
      notes.addLast(new Note(node, what, () -> write.accept(node), clock.instant()));
    }
    while (notes.size() > MOST) {
      lost(notes.removeFirst());
    }
    round(job, notes);
  }

  /**
   * Writes what was not accepted before.
   *
   * @return when to retry; empty when nothing is open
   */
  Optional<Duration> retry(JobKey job) {
    if (!open.containsKey(job)) {
      return Optional.empty();
    }
    Deque<Note> notes = notes(job);
    round(job, notes);
    return notes.isEmpty()
        ? Optional.empty()
        : Optional.of(writes.again(notes.getFirst().node()).orElse(NEXT));
  }

  /** One reconcile of a job ends before the next one begins. */
  private Deque<Note> notes(JobKey job) {
    return new ArrayDeque<>(open.getOrDefault(job, new ArrayDeque<>()));
  }

  /** One that is not accepted ends the round, and is the last one of the next. */
  private void round(JobKey job, Deque<Note> notes) {
    Instant now = clock.instant();
    boolean accepted = true;
    while (accepted && !notes.isEmpty()) {
      Note note = notes.removeFirst();
      if (Duration.between(note.since(), now).abs().compareTo(KEPT) > 0) {
        lost(note);
        continue;
      }
      accepted = accepted(note);
      if (!accepted) {
        notes.addLast(note);
      }
    }
    if (notes.isEmpty()) {
      open.remove(job);
    } else {
      open.put(job, notes);
    }
  }

  private boolean accepted(Note note) {
    try {
      return writes.ask(note.node(), note.what(), note.write());
    } catch (StaleException changing) {
      LOG.atInfo()
          .addKeyValue(LogKey.NODE.key(), note.node())
          .log("Node changes too fast to write on it; retrying");
      return false;
    }
  }

  private static void lost(Note note) {
    LOG.atWarn()
        .addKeyValue(LogKey.NODE.key(), note.node())
        .addKeyValue(LogKey.ACTION.key(), note.what())
        .log("Gave up writing on a node");
  }
}
