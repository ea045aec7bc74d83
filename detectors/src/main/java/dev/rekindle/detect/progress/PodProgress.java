package dev.rekindle.detect.progress;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The progress of one container of a pod, followed through its log. Used by one thread. */
public final class PodProgress implements Closeable {
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

  /** Uses another pattern for the lines that come from now on. */
  public void use(StepPattern other) {
    pattern = other;
  }

  /** How far it has come, as of the last poll. */
  public Progress progress() {
    return tracker.progress();
  }

  /** The newest restart that the present run of the container has asked for; null for none. */
  public @Nullable RestartLine asked() {
    return asked;
  }

  /**
   * Reads what the container printed since the last poll; a bounded amount, so that one chatty
   * container does not keep the others waiting.
   *
   * @throws IOException when the log cannot be read; the next poll tries again
   */
  public void poll() throws IOException {
    follower.poll(
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
              pattern.find(text).ifPresent(step -> tracker.step(time, step));
            }
          }
        });
  }

  @Override
  public void close() throws IOException {
    follower.close();
  }
}
