package dev.rekindle.controller.notification;

import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of notifications: one that finds what is due, and one for each webhook, so that one
 * that hangs keeps no other waiting.
 */
public final class Delivery implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Delivery.class);

  /** What the end of the process waits for the last write. */
  private static final Duration LAST_WRITE = Duration.ofSeconds(1);

  private static final Duration AFTER_ERROR = Duration.ofSeconds(10);

  private final Notifier notifier;
  private final List<DeliveryLoop> loops;
  private final List<Thread> threads = new ArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Sends with that sender what the notifier finds. */
  public Delivery(Notifier notifier, Sender sender) {
    this.notifier = notifier;
    this.loops = notifier.loops(sender);
  }

  /** Starts the threads; once this process leads and its views are current. */
  public void start() {
    start("notifier", notifier::poll);
    loops.forEach(c -> start("webhook-" + c.webhook().name(), c::step));
  }

  private void start(String name, Supplier<Duration> step) {
    threads.add(Thread.ofPlatform().name(name).daemon().start(() -> run(step)));
  }

  private void run(Supplier<Duration> step) {
    try {
      boolean ended = false;
      while (!ended) {
        Duration pause = safely(step);
        ended = closed.await(pause.toNanos(), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException asked) {
      Thread.currentThread().interrupt();
    }
  }

  private static Duration safely(Supplier<Duration> step) {
    try {
      return step.get();
    } catch (RuntimeException | Error failed) {
      LOG.atError()
          .addKeyValue(LogKey.ERROR.key(), failed.toString())
          .addKeyValue(LogKey.RETRY.key(), AFTER_ERROR.toSeconds() + "s")
          .log("Notifications failed");
      return AFTER_ERROR;
    }
  }

  /** Sends nothing more, and stores what was delivered; waits for that for a moment only. */
  @Override
  public void close() {
    closed.countDown();
    if (threads.isEmpty()) {
      return;
    }
    threads.stream().skip(1).forEach(Thread::interrupt);
    Thread last =
        Thread.ofPlatform()
            .name("notifier-end")
            .daemon()
            .start(
                () -> {
                  try {
                    threads.getFirst().join(LAST_WRITE);
                    // One that has just had its answer notes it, so that this does not come twice.
                    Duration each = LAST_WRITE.dividedBy(2L * threads.size());
                    for (Thread loop : threads.subList(1, threads.size())) {
                      loop.join(each);
                    }
                    notifier.close();
                  } catch (InterruptedException asked) {
                    Thread.currentThread().interrupt();
                  }
                });
    try {
      last.join(LAST_WRITE);
    } catch (InterruptedException asked) {
      Thread.currentThread().interrupt();
    }
  }
}
