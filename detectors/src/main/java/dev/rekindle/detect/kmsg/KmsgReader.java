package dev.rekindle.detect.kmsg;

import dev.rekindle.detect.state.StateFolder;
import dev.rekindle.logging.LogKey;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the kernel log: the device, or a regular file with the same framing. Runs until closed;
 * whatever fails is reported in the log and tried again.
 */
public final class KmsgReader implements Runnable, Closeable {
  /** How often a regular file is polled. The device needs no polling: its read waits. */
  static final Duration FILE_POLL = Duration.ofMillis(50);

  private static final Duration FIRST_RETRY = Duration.ofMillis(250);
  private static final Duration LAST_RETRY = Duration.ofSeconds(10);

  /** A fault that waits for the API server is to be there soon after it is back. */
  private static final Duration LAST_OFFER = Duration.ofSeconds(2);

  private static final Logger LOG = LoggerFactory.getLogger(KmsgReader.class);

  private final RecordSource.Opener opener;
  private final KmsgProgress progress;
  private final Consumer<Duration> waits;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile @Nullable RecordSource source;
  private volatile @Nullable Thread thread;

  /**
   * A reader that has not started; {@link #run} does the work.
   *
   * @param path {@code /dev/kmsg}, or a regular file
   * @param state where the cursor is kept
   * @param boot the running boot
   * @param sink gets every record once, in order
   */
  public KmsgReader(Path path, StateFolder state, Boot boot, KmsgSink sink) {
    this(
        () -> open(path),
        new Cursor(state),
        boot,
        sink,
        System::nanoTime,
        time -> LockSupport.parkNanos(time.toNanos()));
  }

  /**
   * A reader of any source.
   *
   * @param opener opens the source, again whenever reading has failed
   * @param cursor where the cursor is kept
   * @param boot the running boot
   * @param sink gets every record once, in order
   * @param nanoTime a clock that never goes back, in nanoseconds
   * @param waits waits for so long in the thread that runs the reader; may end early
   */
  public KmsgReader(
      RecordSource.Opener opener,
      CursorStore cursor,
      Boot boot,
      KmsgSink sink,
      LongSupplier nanoTime,
      Consumer<Duration> waits) {
    this.opener = opener;
    this.progress = new KmsgProgress(cursor, boot, sink, nanoTime);
    this.waits = waits;
  }

  /** What was met so far; may be called from any thread. */
  public KmsgStatistics statistics() {
    return progress.statistics(source != null);
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
    progress.load();
    var retry = FIRST_RETRY;
    while (!closed.get()) {
      try (var opened = opener.open()) {
        source = opened;
        retry = FIRST_RETRY;
        follow(opened);
      } catch (IOException | RuntimeException e) {
        if (!closed.get()) {
          LOG.atWarn()
              .addKeyValue(LogKey.ERROR.key(), e.toString())
              .log("Cannot read the kernel log; retrying");
          pause(retry);
          retry = longer(retry, LAST_RETRY);
        }
      } finally {
        source = null;
      }
    }
    progress.save();
  }

  private void follow(RecordSource records) throws IOException {
    while (!closed.get()) {
      var length = records.next();
      if (length == RecordSource.OVERWRITTEN) {
        continue; // The gap in the sequence numbers says how many.
      }
      if (length == RecordSource.NOTHING) {
        progress.idle();
        pause(FILE_POLL);
        continue;
      }
      var retry = FIRST_RETRY;
      while (!progress.take(records.bytes(), length) && !closed.get()) {
        pause(retry);
        retry = longer(retry, LAST_OFFER);
      }
    }
  }

  static RecordSource open(Path path) throws IOException {
    // Java cannot request a character device; whatever is no regular file is read like one.
    return Files.isRegularFile(path) ? new FileSource(path) : new DeviceSource(path);
  }

  private static Duration longer(Duration retry, Duration most) {
    var twice = retry.multipliedBy(2);
    return twice.compareTo(most) < 0 ? twice : most;
  }

  private void pause(Duration time) {
    if (!closed.get()) {
      waits.accept(time);
    }
  }

  /** Ends {@link #run} soon, also when it waits for a record. */
  @Override
  public void close() throws IOException {
    closed.set(true);
    var waiting = source;
    if (waiting != null) {
      waiting.close();
    }
    LockSupport.unpark(thread);
  }
}
