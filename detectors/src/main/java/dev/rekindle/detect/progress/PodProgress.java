package dev.rekindle.detect.progress;

import dev.rekindle.api.LoggedSaves;
import dev.rekindle.api.Transport;
import dev.rekindle.detect.ncclog.LoggedLine;
import dev.rekindle.detect.ncclog.RecentLines;
import dev.rekindle.detect.ncclog.TransportLines;
import dev.rekindle.detect.progress.LogPiece.Stamp;
import dev.rekindle.detect.progress.Reading.Step;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The progress of one container of a pod, followed through its log. Used by one thread. */
public final class PodProgress implements TrainingLog {
  private final ProgressTracker tracker = new ProgressTracker();
  private final LogFollower follower;
  private StepPattern pattern;
  private @Nullable RestartLine asked;
  private long lines;
  private final RecentLines said = new RecentLines();
  private final TransportLines network = new TransportLines();
  private final LossTracker loss = new LossTracker();
  private final SaveTracker saves = new SaveTracker();
  private final LoadTraceback traceback = new LoadTraceback();
  private @Nullable LoadErrorLine loadError;

  /** So many lines before the first step are searched for one that says why there is none. */
  private static final long LOADS_WITHIN = 50_000;

  /** The first piece of a bar among those that the runtime has written at once. */
  private @Nullable Step bar;

  private @Nullable Stamp barStamp;

  /**
   * Nothing is opened before the first poll.
   *
   * @param directory the kubelet's log directory of the container, {@code
   *     <namespace>_<pod>_<uid>/<container>} below {@code /var/log/pods}
   * @param pattern finds the step in a line
   */
  public PodProgress(Path directory, StepPattern pattern) {
    this.follower = new LogFollower(directory);
    this.pattern = pattern;
  }

  @Override
  public void use(StepPattern other) {
    if (!other.expression().equals(pattern.expression())) {
      tracker.forgetSeries();
    }
    pattern = other;
  }

  @Override
  public Progress progress() {
    return tracker.progress();
  }

  @Override
  public Pace pace() {
    return tracker.pace();
  }

  @Override
  public @Nullable RestartLine asked() {
    return asked;
  }

  @Override
  public @Nullable LoadErrorLine loadError() {
    return loadError;
  }

  @Override
  public @Nullable Loss loss() {
    return loss.loss().orElse(null);
  }

  @Override
  public @Nullable LoggedSaves saves() {
    return saves.saves().orElse(null);
  }

  @Override
  public @Nullable Transport transport() {
    return network.transport().orElse(null);
  }

  @Override
  public List<LoggedLine> said() {
    return said.all();
  }

  @Override
  public long signs() {
    return tracker.signs();
  }

  @Override
  public long lines() {
    return lines;
  }

  @Override
  public void poll() throws IOException {
    follower.poll(
        pattern.charactersPerLook(),
        new LogFollower.Sink() {
          @Override
          public void run(int run) {
            if (run != tracker.progress().run()) {
              asked = null;
              lines = 0;
              said.clear();
              network.clear();
              loss.run();
              saves.run();
              traceback.clear();
            }
            tracker.run(run);
          }

          @Override
          public void piece(LogPiece piece) {
            lines++;
            read(piece);
          }
        });
  }

  private void read(LogPiece piece) {
    int found = piece.mayHold();
    if ((found & LineFilter.RESTART) != 0) {
      var restart = piece.stamp().time().flatMap(time -> RestartLine.find(time, piece.text()));
      if (restart.isPresent()) {
        // A step named as a reason is not one that was made.
        asked = restart.get();
        return;
      }
    }
    if ((found & LineFilter.WITNESS) != 0) {
      said.take(piece.stamp()::time, piece.beginning());
    }
    if ((found & LineFilter.NETWORK) != 0) {
      network.take(piece.beginning());
    }
    Progress before = tracker.progress();
    boolean step = pattern.isOwn() ? takeOwn(piece) : (found & LineFilter.STEP) != 0 && take(piece);
    if (!Objects.equals(tracker.progress(), before)) {
      saves.step();
    } else if ((found & LineFilter.SAVE) != 0) {
      save(piece);
    }
    if (tracker.progress().firstStep() != null) {
      loadError = null;
    } else if (lines <= LOADS_WITHIN) {
      lookForLoadError(piece);
    }
    if (!step && tracker.listensForPause() && piece.announcesPause()) {
      tracker.pauses();
    }
  }

  private void save(LogPiece piece) {
    SaveLine.of(piece.beginning())
        .ifPresent(
            line ->
                piece
                    .stamp()
                    .time()
                    .ifPresent(time -> saves.take(time, line, tracker.progress().lastStep())));
  }

  private void lookForLoadError(LogPiece piece) {
    var below = traceback.take(piece.beginning());
    var kind = LoadErrorLine.kind(piece.beginning()).or(() -> below);
    if (kind.isPresent()) {
      int run = tracker.progress().run();
      piece
          .stamp()
          .time()
          .ifPresent(
              time -> loadError = LoadErrorLine.of(kind.get(), piece.beginning(), run, time));
    }
  }

  /** Takes the step of a line that is printed as the job says; whether there is one. */
  private boolean takeOwn(LogPiece piece) {
    var step = pattern.find(piece.text());
    if (step.isEmpty()) {
      return false;
    }
    piece.stamp().time().ifPresent(time -> tracker.step(time, step.getAsLong()));
    loss.take(piece.beginning());
    return true;
  }

  /** Takes what a line says by the formats that are known; whether it is a step. */
  private boolean take(LogPiece piece) {
    var reading = LineReader.read(piece.beginning());
    if (reading.isEmpty()) {
      return false;
    }
    piece.stamp().time().ifPresent(time -> tracker.take(time, reading.get()));
    if (!isEvaluation(reading.get())) {
      loss.take(piece.beginning());
    }
    if (!(reading.get() instanceof Step step)) {
      return false;
    }
    if (piece.isPartial()) {
      burst(piece.stamp(), step);
    }
    return true;
  }

  /** A loss of what is evaluated is none of the training's. */
  private static boolean isEvaluation(Reading reading) {
    return reading instanceof Reading.Other && !reading.series().equals("epoch");
  }

  /** Measures how long a bar took to print what the runtime held back. */
  private void burst(Stamp stamp, Step step) {
    var before = bar;
    if (before == null || stamp != barStamp || !before.series().equals(step.series())) {
      bar = step;
      barStamp = stamp;
    } else if (before.seconds() >= 0 && step.seconds() > before.seconds()) {
      tracker.burst(Duration.ofSeconds(step.seconds() - before.seconds()));
    }
  }

  @Override
  public void close() throws IOException {
    follower.close();
  }
}
