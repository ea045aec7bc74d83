package dev.rekindle.detect.restart;

import dev.rekindle.detect.freeze.Freezer;
import dev.rekindle.detect.freeze.Outcome;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.restart.JournalEntry.Mark;
import dev.rekindle.logging.LogKey;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Freezes, kills and thaws containers, each with a note on disk before it and one after it. */
final class ContainerActions {
  private static final Logger LOG = LoggerFactory.getLogger(ContainerActions.class);

  private final Freezer freezer;
  private final RestartJournal notes;
  private final InstantSource clock;
  private final RestartMetrics metrics;

  ContainerActions(
      Freezer freezer, RestartJournal notes, InstantSource clock, RestartMetrics metrics) {
    this.freezer = freezer;
    this.notes = notes;
    this.clock = clock;
    this.metrics = metrics;
  }

  /** Notes what is about to be done, does it, and notes what came of it. */
  void perform(RestartAction act, Optional<TrainingPod> pod) throws IOException {
    var note = act.note();
    switch (act) {
      case RestartAction.Remember remember -> notes.write(remember.note());
      case RestartAction.Freeze freeze -> {
        notes.write(freeze.note());
        switch (freezer.freeze(note.container())) {
          case DONE -> {
            notes.write(note.frozen(freezer.how(note.container()), clock.instant()));
            log(note, "frozen");
          }
          case NOT_YET -> {}
          case GONE -> {
            // While the kubelet says that it runs, that we cannot find it proves nothing.
            if (!isSaidToRun(note, pod)) {
              notes.write(note.with(Mark.IDLE, clock.instant()));
            }
          }
        }
      }
      case RestartAction.Kill kill -> {
        notes.write(kill.note());
        var outcome = freezer.kill(note.container());
        // As above, unless it was found before, to be frozen.
        var dead =
            outcome == Outcome.DONE
                || (outcome == Outcome.GONE && (!note.how().isEmpty() || !isSaidToRun(note, pod)));
        if (dead) {
          notes.write(note.with(Mark.KILLED, clock.instant()));
          metrics.killed();
          log(note, "killed");
        }
      }
      case RestartAction.Thaw thaw -> {
        if (freezer.thaw(note.container(), note.how()) != Outcome.NOT_YET) {
          notes.write(thaw.note().with(Mark.THAWED, clock.instant()));
          log(note, "thawed");
        }
      }
    }
  }

  private static boolean isSaidToRun(JournalEntry note, Optional<TrainingPod> pod) {
    return pod.isPresent()
        && pod.get().container().running()
        && pod.get().container().id().equals(note.container());
  }

  private static void log(JournalEntry note, String what) {
    LOG.atInfo()
        .addKeyValue(LogKey.POD.key(), note.pod())
        .addKeyValue(LogKey.CONTAINER.key(), note.container())
        .addKeyValue(LogKey.ORDER_UID.key(), note.orderUid())
        .addKeyValue(LogKey.ACTION.key(), what)
        .log("Container frozen, killed or thawed");
  }
}
