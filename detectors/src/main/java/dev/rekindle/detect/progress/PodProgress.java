package dev.rekindle.detect.progress;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The progress of one container of a pod, followed through its log. Used by one thread. */
public final class PodProgress implements TrainingLog {
  private final ProgressTracker tracker = new ProgressTracker();
  private final LogFollower follower;
  private StepPattern pattern;
  private @Nullable RestartLine asked;

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
  public void poll() throws IOException {
    follower.poll(
        pattern.charactersPerLook(),
        new LogFollower.Sink() {
          @Override
          public void run(int run) {
            if (run != tracker.progress().run()) {
              asked = null;
            }
            tracker.run(run);
          }

          @Override
          public void line(Instant time, String text) {
            var restart = RestartLine.find(time, text);
            if (restart.isPresent()) {
              // A step named as a reason is not one that was made.
              asked = restart.get();
            } else {
              pattern
                  .find(text)
                  .ifPresentOrElse(step -> tracker.step(time, step), () -> tracker.other(text));
            }
          }
        });
  }

  @Override
  public void close() throws IOException {
    follower.close();
  }
}
