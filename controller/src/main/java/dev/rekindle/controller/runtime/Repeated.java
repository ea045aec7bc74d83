package dev.rekindle.controller.runtime;

import dev.rekindle.logging.LogKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that a timer repeats. Whatever one run throws is logged, and the next one comes: a timer
 * ends a task that throws, and says so to no log.
 */
public final class Repeated implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Repeated.class);

  private final String action;
  private final Runnable task;

  /**
   * A task to give to a timer.
   *
   * @param action what it does, for people
   */
  public Repeated(String action, Runnable task) {
    this.action = action;
    this.task = task;
  }

  @Override
  public void run() {
    try {
      task.run();
    } catch (RuntimeException | Error failed) {
      MachineFailure.raise(failed);
      LOG.atError()
          .addKeyValue(LogKey.ACTION.key(), action)
          .addKeyValue(LogKey.ERROR.key(), failed.toString())
          .setCause(failed)
          .log("A repeated task failed; trying again at its next time");
    }
  }
}
