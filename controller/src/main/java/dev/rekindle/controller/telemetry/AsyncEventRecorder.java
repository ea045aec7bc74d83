package dev.rekindle.controller.telemetry;

import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one event after another on a thread of its own, so that what is written never holds up
 * what is done: in a storm of faults every event written is a cordon that waits. Bounded; what
 * comes when all places are taken is not written, and the log has it.
 */
public final class AsyncEventRecorder implements Executor, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AsyncEventRecorder.class);
  private static final Duration LAST_WORDS = Duration.ofSeconds(2);

  private final ThreadPoolExecutor worker;

  /**
   * @param mostWaiting what may wait to be written
   */
  public AsyncEventRecorder(int mostWaiting) {
    worker =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(mostWaiting),
            Thread.ofPlatform().name("event-recorder").daemon().factory(),
            (_, executor) -> {
              if (!executor.isShutdown()) {
                LOG.atWarn().log("Event queue full; event dropped");
              }
            });
  }

  /** Writes it soon. It must not throw. */
  @Override
  public void execute(Runnable what) {
    worker.execute(what);
  }

  /** Writes what waits, for a moment; nothing that comes after. */
  @Override
  public void close() {
    worker.shutdown();
    try {
      if (!worker.awaitTermination(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS)) {
        var unwritten = worker.shutdownNow();
        LOG.atWarn()
            .addKeyValue(LogKey.COUNT.key(), unwritten.size())
            .log("Some events were not written");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      worker.shutdownNow();
    }
  }
}
