package dev.rekindle.detect.restart;

import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.restart.JournalEntry.Mark;
import dev.rekindle.logging.LogKey;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Releases what is still held on this node when its order is withdrawn, or is over. */
final class ReleasedContainers {
  /** How long the API server may be away after a restart before what is over is thawed. */
  private static final Duration BLIND = Duration.ofSeconds(30);

  private static final Logger LOG = LoggerFactory.getLogger(ReleasedContainers.class);

  private final RestartJournal notes;
  private final ContainerActions acts;
  private final InstantSource counted;
  private final Instant started;

  ReleasedContainers(RestartJournal notes, ContainerActions acts, InstantSource counted) {
    this.notes = notes;
    this.acts = acts;
    this.counted = counted;
    this.started = counted.instant();
  }

  /** Thaws what is over while orders and pods are not known. */
  void thawUnheard(Instant now) {
    notes.all().stream().filter(note -> isOverUnheard(note, now)).forEach(this::thaw);
  }

  private boolean isOverUnheard(JournalEntry note, Instant now) {
    var until = note.until();
    return (note.mark() == Mark.FREEZING || note.mark() == Mark.FROZEN)
        && until != null
        && now.isAfter(until.plus(BLIND))
        && now.isAfter(started.plus(BLIND));
  }

  private void thaw(JournalEntry note) {
    perform(new RestartAction.Thaw(note), Optional.empty());
  }

  /** What fails for one container must leave no other one as it is, of whatever order. */
  private void perform(RestartAction act, Optional<TrainingPod> pod) {
    try {
      acts.perform(act, pod);
    } catch (IOException | RuntimeException e) {
      LOG.atError()
          .addKeyValue(LogKey.ORDER_UID.key(), act.note().orderUid())
          .addKeyValue(LogKey.POD.key(), act.note().pod())
          .addKeyValue(LogKey.CONTAINER.key(), act.note().container())
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("Cannot undo what was done with a container; retrying");
    }
  }

  /**
   * Undoes what was done for orders that are gone.
   *
   * @param known UIDs of the orders that there are
   */
  void withdraw(Set<String> known, Collection<TrainingPod> here) {
    for (var uid : notes.orders()) {
      if (known.contains(uid)) {
        continue;
      }
      try {
        for (var note : notes.of(uid).values()) {
          var pod = here.stream().filter(one -> one.uid().equals(note.podUid())).findFirst();
          var act = RestartDecision.withdrawn(note, pod, counted.instant());
          if (act.isPresent()) {
            // What is not found for so long is not there, whatever the kubelet says.
            var late = note.since().plus(RestartDraft.KILL).isBefore(counted.instant());
            perform(act.get(), late ? Optional.empty() : pod);
          }
        }
        if (notes.of(uid).values().stream().noneMatch(JournalEntry::isHeld)) {
          notes.forget(uid);
        }
      } catch (IOException e) {
        LOG.atError()
            .addKeyValue(LogKey.ORDER_UID.key(), uid)
            .addKeyValue(LogKey.ERROR.key(), e.toString())
            .log("Cannot forget a withdrawn RestartOrder; retrying");
      }
    }
  }
}
