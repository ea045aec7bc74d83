package dev.rekindle.detect.nvml;

import dev.rekindle.api.RankDevice;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultReports;
import dev.rekindle.detect.state.StateFolder;
import dev.rekindle.detect.xid.XidCatalog;
import dev.rekindle.logging.LogKey;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the GPUs of a node by NVML. Whatever the driver does, nothing else waits for it: all calls
 * are made by one thread, there is never a second one, and {@link #tick} checks it from outside.
 * Where no library is, there is no thread either.
 */
public final class NvmlDetector implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(NvmlDetector.class);

  /** How long one wait for events may take; also how late a request to end is seen. */
  private static final Duration WAIT = Duration.ofSeconds(1);

  /** From an event to the poll that says what has become of it. */
  private static final Duration SOON = Duration.ofSeconds(1);

  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
  private static final Duration LAST_ACT = Duration.ofSeconds(2);

  /** Our threads have small stacks, and the library is written for the usual ones of C. */
  private static final long STACK = 4L << 20;

  private final NvmlSettings settings;
  private final BooleanSupplier trains;
  private final InstantSource clock;
  private final FaultReports reports;
  private final NvmlEvaluator polls;
  private final EventQueue events;
  private final NvmlMemoryFile file;
  private final NvmlWatch watch;
  private final GpuUseHistory uses = new GpuUseHistory();
  private final AtomicLong polled = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong received = new AtomicLong();

  private @Nullable NvmlMemory memory;
  private @Nullable Thread thread;
  private volatile boolean closed;
  private volatile NvmlState state;
  private volatile @Nullable NvmlState logged;
  private volatile long next = System.nanoTime();
  private volatile Duration pause;
  private volatile Duration took = Duration.ZERO;
  private volatile int gpus;
  private volatile GpuNames names = GpuNames.NONE;

  /**
   * A detector at rest; {@link #tick} is what makes it work.
   *
   * @param folder the state directory
   * @param holders requested the pod that an event hit
   * @param trains whether any pod of the node trains; otherwise the utilization of GPUs is not read
   */
  public NvmlDetector(
      NvmlSettings settings,
      String node,
      String bootId,
      StateFolder folder,
      XidCatalog catalog,
      FaultReports reports,
      GpuHolders holders,
      BooleanSupplier trains,
      InstantSource clock) {
    this.settings = settings;
    this.trains = trains;
    this.clock = clock;
    this.reports = reports;
    polls = new NvmlEvaluator(node, bootId);
    events = new EventQueue(node, bootId, catalog, holders);
    file = new NvmlMemoryFile(folder);
    watch = new NvmlWatch();
    pause = settings.pause();
    state = settings.enabled() ? NvmlState.ABSENT : NvmlState.OFF;
  }

  /**
   * Says that the kernel log reported this, so that an event for the same is not reported twice.
   */
  public void heard(FaultObservation observation) {
    events.heard(observation.fault(), clock.instant());
  }

  /** How the GPUs are called, as far as NVML has answered by now. */
  public GpuNames names() {
    return names;
  }

  /**
   * How busy the GPU is on which a process computes.
   *
   * @param pid its number on the node
   * @return empty where that is not known
   */
  public Optional<RankDevice> use(long pid) {
    return uses.of(pid, System.nanoTime());
  }

  /** What was met so far. */
  public NvmlStatistics statistics() {
    return new NvmlStatistics(state, gpus, polled.get(), failed.get(), received.get(), took);
  }

  /** To be called about once a second; does not wait for the driver. */
  public void tick() {
    if (!settings.enabled() || closed) {
      return;
    }
    var running = thread;
    if (running != null && running.isAlive()) {
      poll();
    } else if (System.nanoTime() - next >= 0) {
      var library = NvmlFinder.find(settings.roots());
      if (library.isEmpty()) {
        become(NvmlState.ABSENT, "no libnvidia-ml.so.1 below " + settings.roots());
        next = in(settings.recheck());
        return;
      }
      var path = library.get();
      thread = Thread.ofPlatform().daemon().name("nvml").stackSize(STACK).start(() -> serve(path));
    }
  }

  /** Checks the thread from outside. */
  private void poll() {
    var stay = watch.stay();
    if (stay == null || stay.lasted().compareTo(settings.hung()) < 0) {
      return;
    }
    become(NvmlState.HUNG, stay.what() + " for " + stay.lasted());
    synchronized (this) {
      deliver(polls.hung(remembered(), stay.what(), stay.lasted(), clock.instant()));
    }
  }

  private void serve(Path library) {
    try {
      var started = System.nanoTime();
      try (var session = NvmlSession.open(library, watch)) {
        work(session, library);
      }
      if (System.nanoTime() - started > settings.poll().toNanos()) {
        pause = settings.pause();
      }
    } catch (NvmlException e) {
      become(NvmlState.of(e.code()), e.getMessage());
      backOff(e.code());
    } catch (IOException | RuntimeException | LinkageError e) {
      become(NvmlState.FAILED, e.toString());
      backOff(NvmlReturn.SUCCESS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void backOff(int code) {
    failed.incrementAndGet();
    gpus = 0;
    if (code == NvmlReturn.NO_PERMISSION || code == NvmlReturn.DRIVER_NOT_LOADED) {
      next = in(settings.recheck());
      return;
    }
    // A lost GPU is read again at once, but not again and again.
    var atOnce = code == NvmlReturn.GPU_IS_LOST && pause.equals(settings.pause());
    next = in(atOnce ? Duration.ZERO : pause);
    var longer = pause.multipliedBy(2);
    pause = longer.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : longer;
  }

  /** Polls and waits for events until there is a reason to release the devices. */
  private void work(NvmlSession session, Path library) throws IOException, InterruptedException {
    var due = System.nanoTime();
    var first = true;
    while (!closed) {
      if (System.nanoTime() - due >= 0) {
        due = in(settings.poll());
        var readings = read(session);
        if (readings.anyBroken() && !first) {
          // Handles of before a reset appear lost too: only a fresh start shows it.
          next = System.nanoTime();
          return;
        }
        first = false;
        take(readings);
        if (readings.anyBroken()) {
          // The GPU cannot be reset while it is held open.
          next = due;
          return;
        }
        if (state == NvmlState.HUNG) {
          become(NvmlState.FAILED, "the call came back");
          backOff(NvmlReturn.SUCCESS);
          return;
        }
        become(NvmlState.READING, library.toString());
      }
      due = listen(session, due);
      flush();
    }
  }

  private void flush() {
    try {
      events.flush(clock.instant(), this::report);
    } catch (RuntimeException e) {
      LOG.atWarn()
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("NodeFault of a GPU event not written; retrying");
    }
  }

  private void report(FaultObservation observation) {
    reports.saw(observation.ofDevice(names.uuid(observation.fault().componentId())));
  }

  private NvmlReadings read(NvmlSession session) throws NvmlException {
    var start = System.nanoTime();
    var readings = session.read(trains.getAsBoolean());
    took = Duration.ofNanos(System.nanoTime() - start);
    polled.incrementAndGet();
    gpus = readings.gpus().size();
    names = names.and(readings.gpus());
    uses.add(readings.gpus(), System.nanoTime());
    return readings;
  }

  private synchronized void take(NvmlReadings readings) {
    deliver(polls.decide(remembered(), readings, clock.instant()));
  }

  /** Waits for an event; returns when the next poll is due, which is soon after one. */
  private long listen(NvmlSession session, long due) throws NvmlException, InterruptedException {
    var left = Duration.ofNanos(due - System.nanoTime());
    var wait = left.compareTo(WAIT) > 0 ? WAIT : left;
    if (wait.isNegative() || wait.isZero()) {
      return due;
    }
    if (!session.listens()) {
      Thread.sleep(wait);
      return due;
    }
    var event = session.await((int) Math.max(1, wait.toMillis()));
    if (event.isEmpty()) {
      return due;
    }
    received.incrementAndGet();
    events.add(event.get(), clock.instant());
    var soon = in(SOON);
    return soon - due < 0 ? soon : due;
  }

  private NvmlMemory remembered() {
    var known = memory;
    if (known == null) {
      try {
        known = file.read();
      } catch (IOException e) {
        LOG.atWarn()
            .addKeyValue(LogKey.ERROR.key(), e.toString())
            .log("Cannot read what was seen of GPUs; starting over");
        known = NvmlMemory.EMPTY;
      }
      memory = known;
    }
    return known;
  }

  /** Remembers only what was delivered: the rest is decided again by the next poll. */
  private void deliver(NvmlDecision decision) {
    try {
      decision.clearances().forEach(reports::gone);
      decision.observations().forEach(this::report);
    } catch (RuntimeException e) {
      LOG.atWarn()
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("NodeFault of a GPU not written; retrying");
      return;
    }
    if (decision.memory().equals(memory)) {
      return;
    }
    memory = decision.memory();
    try {
      file.write(decision.memory());
    } catch (IOException e) {
      LOG.atWarn()
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("Cannot write what was seen of GPUs; it would be lost in a restart");
    }
  }

  /** A time from now, as {@link System#nanoTime} says it. */
  private static long in(Duration wait) {
    return System.nanoTime() + wait.toNanos();
  }

  private void become(NvmlState now, @Nullable String why) {
    state = now;
    if (logged != now) {
      logged = now;
      LOG.atInfo()
          .addKeyValue(LogKey.STATE.key(), now)
          .addKeyValue(LogKey.REASON.key(), Optional.ofNullable(why).orElse(""))
          .log("State of NVML changed");
    }
  }

  @Override
  public void close() {
    closed = true;
    var running = thread;
    if (running == null) {
      return;
    }
    try {
      running.join(LAST_ACT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
