package dev.rekindle.detect.fault;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** The state of one NodeFault as this agent last saw it, and what is not written to it yet. */
final class FaultBuffer {
  private static final long MOST_SECONDS = 60;

  private @Nullable Instant written;
  private @Nullable FenceGuidance fence;
  private String boot = "";
  private long counted = FaultObservation.NO_SEQUENCE;
  private @Nullable FaultAggregate draft;
  private @Nullable Instant failing;
  private @Nullable Instant next;
  private int refusals;

  /** Whether this process has never written it. */
  boolean isNew() {
    return written == null;
  }

  /** Whether the last write is long enough ago for another. */
  boolean isDue(InstantSource clock) {
    return written == null || !clock.instant().isBefore(written.plus(FaultWriter.REPEAT));
  }

  /** Whether the object does not yet say that this observation fences so strongly. */
  boolean isRaisedBy(FaultObservation observation) {
    return fence == null || observation.fault().fence().compareTo(fence) < 0;
  }

  /** Whether the object or the draft counts it already: the log is replayed. */
  boolean hasCounted(FaultObservation observation) {
    return observation.sequence() != FaultObservation.NO_SEQUENCE
        && observation.fault().bootId().equals(boot)
        && observation.sequence() <= counted;
  }

  /** What waits; null when nothing does. */
  @Nullable FaultAggregate draft() {
    return draft;
  }

  /** Whether it was refused, so that nothing is to wait for it. */
  boolean isAside() {
    return refusals > 0;
  }

  /** Whether what waits is to be written now. */
  boolean isToBeWritten(InstantSource clock) {
    return draft != null && (next == null ? isDue(clock) : !clock.instant().isBefore(next));
  }

  /** A write has failed; for how long that is so by now. */
  Duration failed(InstantSource clock) {
    var now = clock.instant();
    failing = failing == null || now.isBefore(failing) ? now : failing;
    return Duration.between(failing, now);
  }

  /** Keeps it for a while, as it was refused, and longer each time; gives how often it was. */
  int setAside(FaultAggregate refused, InstantSource clock) {
    hold(refused);
    refusals++;
    postpone(clock);
    return refusals;
  }

  /** Puts off what is set aside. */
  void postpone(InstantSource clock) {
    next = clock.instant().plusSeconds(Math.min(MOST_SECONDS, 1L << Math.min(refusals, 6)));
  }

  /** What is set aside is over, and was never written. */
  void forget() {
    draft = null;
    next = null;
    refusals = 0;
    failing = null;
  }

  /** Keeps it for the next write. */
  void hold(FaultAggregate next) {
    draft = next;
    count(next.last());
  }

  /** Everything up to there is in the object, which says this of fencing. */
  void delivered(
      FaultObservation last, long sequence, FenceGuidance guidance, InstantSource clock) {
    forget();
    fence = guidance;
    written = clock.instant();
    count(last);
    if (last.fault().bootId().equals(boot)) {
      counted = Math.max(counted, sequence);
    }
  }

  /** The fault was cleared: the next observation is written at once. */
  void cleared() {
    fence = null;
  }

  private void count(FaultObservation last) {
    if (!last.fault().bootId().equals(boot)) {
      boot = last.fault().bootId();
      counted = FaultObservation.NO_SEQUENCE;
    }
    counted = Math.max(counted, last.sequence());
  }
}
