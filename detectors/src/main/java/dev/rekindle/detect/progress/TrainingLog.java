package dev.rekindle.detect.progress;

import dev.rekindle.api.LoggedSaves;
import dev.rekindle.api.Transport;
import dev.rekindle.detect.ncclog.LoggedLine;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the log of one container of a pod says, poll by poll. Used by one thread. */
public interface TrainingLog extends Closeable {
  /** Uses another pattern for the lines that come from now on. */
  void use(StepPattern pattern);

  /**
   * Reads what the container printed since the last poll; a bounded amount, so that one chatty
   * container does not keep the others waiting.
   *
   * @throws IOException when the log cannot be read; the next poll tries again
   */
  void poll() throws IOException;

  /** How far it has come, as of the last poll. */
  Progress progress();

  /**
   * How often anything has moved, as of the last poll: a step, the bar of an evaluation. While it
   * grows, the container does not hang.
   */
  long signs();

  /** How many lines the present run of the container has printed, as of the last poll. */
  long lines();

  /** How its steps follow each other, as of the last poll. */
  Pace pace();

  /** The newest lines of its run that say why ranks wait, as of the last poll; bounded. */
  List<LoggedLine> said();

  /** The newest restart that the present run of the container has requested; null for none. */
  @Nullable RestartLine asked();

  /**
   * The newest line that says that a checkpoint cannot be loaded, of this run of the container or
   * an earlier one; null where a step was made since, and where there is none.
   */
  @Nullable LoadErrorLine loadError();

  /** What the lines of the present run say of the loss; null where none names one. */
  @Nullable Loss loss();

  /** How the container saves checkpoints, by its lines; null where none names a save. */
  @Nullable LoggedSaves saves();

  /** What the present run says of NCCL's network; null where no line names one. */
  @Nullable Transport transport();
}
