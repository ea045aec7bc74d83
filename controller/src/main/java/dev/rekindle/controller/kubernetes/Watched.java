package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.runtime.Backoff;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.logging.LogKey;
import dev.rekindle.watch.BoundedLists;
import dev.rekindle.watch.PageSize;
import dev.rekindle.watch.WatchLiveness;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The watch of one kind. An informer that cannot start, because the kind is not installed or the
 * API server does not answer, is replaced by a new one; the kinds know nothing of each other, so
 * the rest continues. A kind that is not installed is checked for again after the longest pause.
 * Any other failure is tried again soon and then ever less often: a controller does nothing until
 * all its watches have listed, and a single bad answer among some fifteen lists is likely while the
 * API server fails.
 */
final class Watched<T extends HasMetadata> implements Watch {
  private static final Logger LOG = LoggerFactory.getLogger(Watched.class);

  private final String kind;
  private final Supplier<Informable<T>> source;
  private final BooleanSupplier gone;
  private final ScheduledExecutorService timer;
  private final Backoff retry;

  /** Outlives an informer, so that the next one's list says what was deleted in between. */
  private final MetadataStore<T> skeletons;

  private final WatchLiveness liveness;
  private final PageSize pages = PageSize.usual();

  private @Nullable SharedIndexInformer<T> informer;
  private boolean missing;
  private boolean closed;
  private int failures;
  private int starts;

  /**
   * @param kind plural and group as {@code kubectl} takes it
   * @param empty makes an object without contents
   * @param gone whether the namespace that is watched is not there: the right to list goes with it,
   *     and nothing is waited for
   * @param retry pauses before a watch that could not start is started again
   */
  Watched(
      String kind,
      Supplier<T> empty,
      Supplier<Informable<T>> source,
      BooleanSupplier gone,
      Feed<T> feed,
      ScheduledExecutorService timer,
      Backoff retry) {
    this(kind, empty, source, gone, feed, timer, retry, SteadyClock.system());
  }

  /**
   * The same.
   *
   * @param clock by which it is found to be dead
   */
  Watched(
      String kind,
      Supplier<T> empty,
      Supplier<Informable<T>> source,
      BooleanSupplier gone,
      Feed<T> feed,
      ScheduledExecutorService timer,
      Backoff retry,
      SteadyClock clock) {
    this.liveness = new WatchLiveness(clock);
    this.kind = kind;
    this.source = source;
    this.gone = gone;
    this.timer = timer;
    this.retry = retry;
    this.skeletons = new MetadataStore<>(empty, feed);
  }

  @Override
  public synchronized void start() {
    if (closed) {
      return;
    }
    SharedIndexInformer<T> next =
        source
            .get()
            .withLimit(pages.now())
            .runnableInformer(0)
            .itemStore(skeletons)
            .exceptionHandler(this::goesOn);
    informer = next;
    starts++;
    next.start().whenComplete((_, error) -> started(next, error));
  }

  /** Lists again: what was read before is to be read otherwise from now on. */
  synchronized void again() {
    SharedIndexInformer<T> old = informer;
    if (old != null) {
      informer = null;
      old.stop();
      start();
    }
  }

  /**
   * Lists again where the watch has been silent for too long, or the list hangs; the age of the
   * last event.
   */
  @Override
  public synchronized Optional<Duration> listen() {
    SharedIndexInformer<T> current = informer;
    if (closed || current == null) {
      return Optional.empty();
    }
    if (!current.hasSynced()) {
      liveness.saw("list " + starts);
      if (liveness.isSilent(WatchLiveness.LISTED)) {
        LOG.atWarn().addKeyValue(LogKey.KIND.key(), kind).log("A list hangs; relisting");
        again();
      }
      return Optional.empty();
    }
    liveness.saw(Objects.requireNonNullElse(current.lastSyncResourceVersion(), ""));
    Duration age = liveness.age();
    if (liveness.isSilent()) {
      LOG.atWarn()
          .addKeyValue(LogKey.KIND.key(), kind)
          .addKeyValue(LogKey.DURATION.key(), age)
          .log("Watch shows no newer version; relisting");
      again();
    }
    return Optional.of(age);
  }

  @Override
  public String kind() {
    return kind;
  }

  private synchronized void started(SharedIndexInformer<T> started, @Nullable Throwable error) {
    if (closed || !started.equals(informer)) {
      started.stop();
    } else if (error == null) {
      missing = false;
      failures = 0;
      LOG.atInfo().addKeyValue(LogKey.KIND.key(), kind).log("Watching");
      var _ = started.stopped().whenComplete((_, cause) -> stopped(started, cause));
    } else {
      failed(started, error);
    }
  }

  private synchronized void stopped(SharedIndexInformer<T> stopped, @Nullable Throwable cause) {
    if (!closed && stopped.equals(informer)) {
      failed(stopped, cause == null ? new IllegalStateException("the watch stopped") : cause);
    }
  }

  private void failed(SharedIndexInformer<T> failed, Throwable error) {
    boolean refused = isAnswer(error, HttpURLConnection.HTTP_FORBIDDEN);
    boolean known = missing;
    missing = notFound(error) || (missing && refused);
    if (refused) {
      // It waits for the API server, which this thread must not.
      Thread.ofVirtual().name("look-up-namespace").start(this::lookForNamespace);
    }
    boolean shrunk = pages.shrink(error);
    failures += shrunk ? 0 : 1;
    Duration pause = shrunk ? Duration.ZERO : missing ? retry.longest() : retry.after(failures);
    if (shrunk) {
      LOG.atInfo()
          .addKeyValue(LogKey.KIND.key(), kind)
          .addKeyValue(LogKey.COUNT.key(), pages.now())
          .log("Objects are large; listing fewer at a time");
    } else {
      report(error, known, pause);
    }
    informer = null;
    failed.stop();
    try {
      var _ = timer.schedule(this::start, pause.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException shutDown) {
      LOG.atDebug().addKeyValue(LogKey.KIND.key(), kind).log("Not watching again: shutting down");
    }
  }

  private void lookForNamespace() {
    boolean now = gone.getAsBoolean();
    synchronized (this) {
      if (informer == null || !informer.hasSynced()) {
        missing = now;
      }
    }
  }

  /** A kind that stays away is one line, not one every half minute. */
  private void report(Throwable error, boolean known, Duration pause) {
    if (notFound(error)) {
      if (!known) {
        LOG.atWarn()
            .addKeyValue(LogKey.KIND.key(), kind)
            .addKeyValue(LogKey.RETRY.key(), pause)
            .log("Resource not installed; not watched");
      }
    } else {
      LOG.atError()
          .addKeyValue(LogKey.KIND.key(), kind)
          .addKeyValue(LogKey.RETRY.key(), pause)
          .addKeyValue(LogKey.ERROR.key(), error.toString())
          .log("Cannot watch");
    }
  }

  /** Once an informer has listed, it continues by itself, unless its pages are too large now. */
  private boolean goesOn(boolean started, Throwable error) {
    if (started) {
      LOG.atWarn()
          .addKeyValue(LogKey.KIND.key(), kind)
          .addKeyValue(LogKey.ERROR.key(), withCause(error))
          .log("Watch interrupted; restarting");
    }
    return started && !BoundedLists.hasEnded(error);
  }

  /** The client library says in the cause what was wrong. */
  private static String withCause(Throwable error) {
    Throwable cause = error.getCause();
    return cause == null ? error.toString() : error + ": " + cause;
  }

  @Override
  public synchronized boolean synced() {
    return missing || (informer != null && informer.hasSynced());
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (informer != null) {
      informer.stop();
    }
  }

  private static boolean notFound(Throwable error) {
    return isAnswer(error, HttpURLConnection.HTTP_NOT_FOUND);
  }

  private static boolean isAnswer(Throwable error, int code) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof KubernetesClientException api && api.getCode() == code) {
        return true;
      }
    }
    return false;
  }
}
