package dev.rekindle.simulator.world;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The kernel log of one machine: a ring of records of the running boot, framed as {@code /dev/kmsg}
 * gives them. What was not read when the machine loses its power is lost.
 */
final class KernelLog {
  /** Records that the ring holds. */
  private static final int RING = 256;

  private static final int KERNEL = 0;
  private static final int USER = 1;
  private static final int WARNING = 4;

  /**
   * One record.
   *
   * @param sequence its number within the boot
   * @param record as a read of the device gives it
   */
  record Entry(long sequence, String record) {}

  private final InstantSource clock;
  private final Deque<Entry> ring = new ArrayDeque<>();

  /** What kernels of machines of this name have said, over all boots. */
  private final Set<String> said = new HashSet<>();

  private Instant booted;
  private long next;

  /** The log of a machine that starts now. */
  KernelLog(InstantSource clock) {
    this.clock = clock;
    this.booted = clock.instant();
  }

  /** The machine starts: an empty ring, and numbers from the first one on. */
  void boots() {
    booted = clock.instant();
    next = 0;
    ring.clear();
  }

  /** The ring is cleared. */
  void clear() {
    ring.clear();
  }

  /** How long the machine runs. */
  Duration uptime() {
    return Duration.between(booted, clock.instant());
  }

  /** Whether nothing was logged in this boot. */
  boolean isEmpty() {
    return next == 0;
  }

  /** The kernel, or a driver, logs this. */
  void kernel(String text) {
    said.add(text);
    add(KERNEL, text);
  }

  /** A process writes this into {@code /dev/kmsg}: the kernel marks it as such. */
  void process(String text) {
    add(USER, text);
  }

  private void add(int facility, String text) {
    String record =
        "%d,%d,%d,-;%s%n"
            .formatted(facility << 3 | WARNING, next, uptime().toNanos() / 1_000, text);
    ring.addLast(new Entry(next, record));
    next++;
    if (ring.size() > RING) {
      ring.removeFirst();
    }
  }

  /** The oldest record from that number on; absent where there is none yet. */
  @Nullable Entry from(long sequence) {
    for (Entry entry : ring) {
      if (entry.sequence() >= sequence) {
        return entry;
      }
    }
    return null;
  }

  /** Whether a kernel of this machine has said it, in this boot or in an earlier one. */
  boolean said(String text) {
    return said.contains(text);
  }

  /** It said so before the run began. */
  void saidLongAgo(String text) {
    said.add(text);
  }
}
