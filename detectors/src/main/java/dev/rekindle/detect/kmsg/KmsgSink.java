package dev.rekindle.detect.kmsg;

import java.time.Instant;

/** Takes the records of the kernel log, in order. */
@FunctionalInterface
public interface KmsgSink {
  /**
   * Works on one record. The reader waits for it, moves its cursor past the record when it returns,
   * and offers the record again after a while when it throws; so a sink that cannot deliver now
   * throws, and the kernel's ring buffer is the queue. A record at which it throws anything else is
   * offered a few times: it may be of the record itself, and the next ones wait.
   *
   * @param kmsg the record
   * @param time when it was logged, on the wall clock of now: of a later record it is earlier where
   *     the clock was set back in between
   * @return whether the record mattered: the cursor is then on disk before the next is offered
   * @throws UndeliveredException when what follows from it cannot be delivered now
   */
  boolean accept(KmsgRecord kmsg, Instant time);
}
