package dev.rekindle.logging;

import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Exceptions that end a thread: logged as everything else, where the JVM prints many lines. */
public final class UncaughtExceptions {
  private static final Logger LOG = LoggerFactory.getLogger(UncaughtExceptions.class);

  private UncaughtExceptions() {}

  /** From now on, in every thread that has no handler of its own. */
  public static void log() {
    log(_ -> {});
  }

  /**
   * The same.
   *
   * @param then receives each after it is logged, or could not be
   */
  public static void log(Consumer<Throwable> then) {
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, thrown) -> {
          try {
            LOG.atError()
                .addKeyValue(LogKey.THREAD.key(), thread.getName())
                .addKeyValue(LogKey.ERROR.key(), thrown.toString())
                .setCause(thrown)
                .log("A thread ended by an exception");
          } finally {
            then.accept(thrown);
          }
        });
  }
}
