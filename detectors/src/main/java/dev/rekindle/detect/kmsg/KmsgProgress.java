package dev.rekindle.detect.kmsg;

import dev.rekindle.logging.LogKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the reader does with each record: skip what an earlier run delivered, count what is missing,
 * deliver, move the cursor. Used by the reader's thread; the counters are read by others.
 */
final class KmsgProgress {
  /** Records without meaning after which the cursor is written all the same. */
  private static final int SAVE_EVERY = 64;

  /**
   * Between two writes of the cursor while records keep coming. Each waits for the disk: with one
   * for each record, a storm would be overwritten in the kernel before it is read. What a crash
   * then replays is known to the sink by its sequence number.
   */
  static final Duration SAVE_PACE = Duration.ofMillis(100);

  /**
   * How often a record is offered at which processing throws, within some 15 s. All that the kernel
   * logs later waits for it, faults of any device among it.
   */
  static final int TRIES = 10;

  private static final int LOGGED_BYTES = 200;
  private static final Logger LOG = LoggerFactory.getLogger(KmsgProgress.class);

  private final CursorStore cursor;
  private final Boot boot;
  private final KmsgSink sink;
  private final AtomicLong records = new AtomicLong();
  private final AtomicLong replayed = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();
  private final AtomicLong malformed = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong foreign = new AtomicLong();
  private final AtomicLong newest = new AtomicLong(-1);
  private final LongSupplier nanoTime;
  private long saved = -1;
  private long savedAt;
  private boolean unsaved;

  /** The record at which processing has thrown last, and how often. */
  private long failing = -1;

  private int failures;

  /**
   * Nothing was read yet.
   *
   * @param nanoTime a clock that never goes back, in nanoseconds
   */
  KmsgProgress(CursorStore cursor, Boot boot, KmsgSink sink, LongSupplier nanoTime) {
    this.cursor = cursor;
    this.boot = boot;
    this.sink = sink;
    this.nanoTime = nanoTime;
    savedAt = nanoTime.getAsLong() - SAVE_PACE.toNanos();
  }

  /** Takes up where the last run of this boot ended; a broken cursor means from the start. */
  void load() {
    try {
      saved = cursor.read(boot.id()).orElse(-1);
      newest.set(saved);
    } catch (IOException e) {
      LOG.atWarn()
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("Cannot read the kernel log cursor; reading from the oldest record");
    }
  }

  /** Works on one raw record; false when the sink refused it and it is to be offered again. */
  boolean take(byte[] bytes, int length) {
    return switch (KmsgParser.parse(bytes, length)) {
      case KmsgParsed.Malformed broken -> {
        countMalformed(broken, bytes, length);
        yield true;
      }
      case KmsgRecord kmsg -> deliver(kmsg);
    };
  }

  private boolean deliver(KmsgRecord kmsg) {
    var before = newest.get();
    if (kmsg.sequence() <= before) {
      replayed.incrementAndGet();
      return true;
    }
    boolean mattered;
    try {
      mattered = hears(kmsg) && sink.accept(kmsg, boot.timeOf(kmsg));
    } catch (StackOverflowError e) {
      // Of the record itself, so that it would be the same each time.
      mattered = false;
      skip(kmsg, e);
    } catch (UndeliveredException e) {
      retry(kmsg, e);
      return false;
    } catch (RuntimeException e) {
      failures = failing == kmsg.sequence() ? failures + 1 : 1;
      failing = kmsg.sequence();
      if (failures < TRIES) {
        retry(kmsg, e);
        return false;
      }
      mattered = false;
      skip(kmsg, e);
    }
    if (before >= 0) {
      lost.addAndGet(kmsg.sequence() - before - 1);
    }
    records.incrementAndGet();
    newest.set(kmsg.sequence());
    unsaved |= mattered || kmsg.sequence() - saved >= SAVE_EVERY;
    if (unsaved && nanoTime.getAsLong() - savedAt >= SAVE_PACE.toNanos()) {
      save();
    }
    return true;
  }

  private void skip(KmsgRecord kmsg, Throwable failure) {
    malformed.incrementAndGet();
    LOG.atError()
        .addKeyValue(LogKey.SEQUENCE.key(), kmsg.sequence())
        .setCause(failure)
        .log("Kernel record skipped: processing failed");
  }

  /** Logs the 1st, 2nd, 4th, 8th, ... time, so that a long outage does not fill the log. */
  private void retry(KmsgRecord kmsg, RuntimeException failure) {
    if (Long.bitCount(refused.incrementAndGet()) == 1) {
      LOG.atWarn()
          .addKeyValue(LogKey.SEQUENCE.key(), kmsg.sequence())
          .addKeyValue(LogKey.TIMES.key(), refused.get())
          .addKeyValue(LogKey.ERROR.key(), failure.toString())
          .log("Kernel record processing failed; retrying");
    }
  }

  /** Whether the kernel says it: what a process writes there is no word of a driver. */
  private boolean hears(KmsgRecord kmsg) {
    if (!kmsg.isOfKernel()) {
      foreign.incrementAndGet();
    }
    return kmsg.isOfKernel();
  }

  private void countMalformed(KmsgParsed.Malformed broken, byte[] bytes, int length) {
    if (Long.bitCount(malformed.incrementAndGet()) == 1) {
      var start = new String(bytes, 0, Math.min(length, LOGGED_BYTES), StandardCharsets.ISO_8859_1);
      LOG.atWarn()
          .addKeyValue(LogKey.REASON.key(), broken.reason())
          .addKeyValue(LogKey.COUNT.key(), malformed.get())
          .addKeyValue(LogKey.EVIDENCE.key(), start)
          .log("Malformed kernel record; skipped");
    }
  }

  /** Called when there is nothing to read. */
  void idle() {
    save();
  }

  /** Puts the cursor on disk if it moved. A failure costs a replay after a restart, no more. */
  void save() {
    if (newest.get() == saved) {
      return;
    }
    savedAt = nanoTime.getAsLong();
    unsaved = false;
    try {
      cursor.write(boot.id(), newest.get());
      saved = newest.get();
    } catch (IOException e) {
      saved = newest.get(); // The next attempt comes with the next records, not at once.
      LOG.atWarn()
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("Cannot write the kernel log cursor; a restart would replay records");
    }
  }

  KmsgStatistics statistics(boolean open) {
    return new KmsgStatistics(
        records.get(),
        replayed.get(),
        lost.get(),
        malformed.get(),
        refused.get(),
        foreign.get(),
        newest.get(),
        open);
  }
}
