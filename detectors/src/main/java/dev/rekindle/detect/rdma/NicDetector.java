package dev.rekindle.detect.rdma;

import dev.rekindle.detect.fault.FaultReports;
import dev.rekindle.detect.state.StateFolder;
import dev.rekindle.logging.LogKey;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the RDMA ports of a node. Reading a counter asks the firmware of the NIC, which may be what
 * is broken: each poll has a thread of its own, there is never a second one, and none between
 * polls.
 */
public final class NicDetector implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(NicDetector.class);

  /** How often a node without RDMA devices is polled again. */
  private static final Duration RECHECK = Duration.ofMinutes(1);

  /** A poll that takes longer is reported. */
  private static final Duration LATE = Duration.ofMinutes(1);

  private static final Duration LAST_ACT = Duration.ofSeconds(1);

  /** A storm of lines about NICs does not read the names for each. */
  private static final Duration NAMES_HOLD = Duration.ofSeconds(1);

  private final NicSettings settings;
  private final NicScanner scanner;
  private final NicEvaluator polls;
  private final NicMemoryFile file;
  private final FaultReports reports;
  private final InstantSource clock;

  private @Nullable Thread thread;
  private long next = System.nanoTime();
  private long started = next;
  private boolean reportedLate;
  // Used by one poll at a time, which Thread.start and isAlive order.
  private @Nullable NicMemory memory;
  private volatile NicStatistics statistics =
      new NicStatistics(0, 0, 0, Duration.ZERO, Duration.ZERO);
  private @Nullable NicNames names;
  private long named;

  /**
   * A detector at rest; {@link #tick} is what makes it work.
   *
   * @param folder the state directory
   */
  public NicDetector(
      NicSettings settings,
      String node,
      String bootId,
      StateFolder folder,
      FaultReports reports,
      InstantSource clock) {
    this.settings = settings;
    this.reports = reports;
    this.clock = clock;
    scanner = new NicScanner(settings);
    polls = new NicEvaluator(node, bootId, settings.rails());
    file = new NicMemoryFile(folder);
  }

  /** What was met so far. */
  public NicStatistics statistics() {
    var last = statistics;
    return new NicStatistics(
        last.ports(),
        last.down(),
        last.polls(),
        last.poll(),
        reportedLate ? sinceStart() : Duration.ZERO);
  }

  private Duration sinceStart() {
    return Duration.ofNanos(System.nanoTime() - started);
  }

  /** To be called about once a second; does not wait for a NIC. */
  public void tick() {
    if (!settings.enabled()) {
      return;
    }
    var running = thread;
    if (running != null && running.isAlive()) {
      if (!reportedLate && sinceStart().compareTo(LATE) > 0) {
        reportedLate = true;
        LOG.atWarn()
            .addKeyValue(LogKey.DURATION.key(), sinceStart())
            .log("Reading the RDMA ports is stuck");
      }
      return;
    }
    reportedLate = false;
    if (System.nanoTime() - next < 0) {
      return;
    }
    started = System.nanoTime();
    var known = memory;
    if (!scanner.hasDevices() && (known == null ? read() : known).ports().isEmpty()) {
      next = started + RECHECK.toNanos();
      return;
    }
    next = started + settings.poll().toNanos();
    thread = Thread.ofPlatform().daemon().name("nics").start(this::poll);
  }

  /**
   * How the ports are called, none when they are not read. Asks no NIC for anything, so it comes
   * back whatever state they are in.
   */
  public synchronized NicNames names() {
    if (!settings.enabled()) {
      return NicNames.NONE;
    }
    var known = names;
    if (known == null || System.nanoTime() - named > NAMES_HOLD.toNanos()) {
      known = scanner.names(known == null ? remembered() : known);
      names = known;
      named = System.nanoTime();
    }
    return known;
  }

  /** Of ports that were there before this agent: their device may be gone by now. */
  private NicNames remembered() {
    try {
      return new NicNames(
          file.read().ports().values().stream()
              .map(port -> new NicNames.Port(port.id(), port.device(), port.pci(), Set.of()))
              .toList());
    } catch (IOException unreadable) {
      return NicNames.NONE;
    }
  }

  private NicMemory read() {
    try {
      memory = file.read();
    } catch (IOException e) {
      LOG.atWarn()
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("Cannot read what was seen of RDMA ports; starting over");
      memory = NicMemory.EMPTY;
    }
    return memory;
  }

  private void poll() {
    try {
      var begin = System.nanoTime();
      var readings = scanner.scan();
      var took = Duration.ofNanos(System.nanoTime() - begin);
      var known = memory;
      var decision = polls.decide(known == null ? read() : known, readings, clock.instant());
      var down = (int) readings.ports().stream().filter(port -> !port.up()).count();
      statistics =
          new NicStatistics(
              readings.ports().size(), down, statistics.polls() + 1, took, Duration.ZERO);
      decision.clearances().forEach(reports::gone);
      decision.observations().forEach(reports::saw);
      // Remembers only what was delivered: the rest is decided again by the next poll.
      memory = decision.memory();
      file.write(decision.memory());
    } catch (IOException e) {
      LOG.atWarn()
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("Cannot write what was seen of RDMA ports; it would be lost in a restart");
    } catch (UncheckedIOException e) {
      LOG.atWarn()
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("Cannot list the RDMA devices; retrying");
    } catch (RuntimeException e) {
      LOG.atWarn()
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("NodeFault of a port not written; retrying");
    }
  }

  @Override
  public void close() {
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
