package dev.rekindle.detect.progress;

import dev.rekindle.detect.progress.Reading.Step;
import dev.rekindle.detect.progress.RisingCount.Move;
import java.time.Duration;
import java.time.Instant;

/** The lines of one container that count the same thing, as far as they have come. */
final class StepSeries {
  private final RisingCount rising = new RisingCount();
  private final StepFormat.Trust trust;
  private final boolean needsMore;
  private long base;
  private long epoch = -1;
  private long count = -1;
  private long total = -1;
  private long number;
  private int moves;
  private Instant first = Instant.MAX;
  private Instant last = Instant.MIN;
  private int movesSince;
  private Instant since = Instant.MAX;

  /** For lines like this one, of which none has been read. */
  StepSeries(Reading reading) {
    trust = reading instanceof Step step ? step.format().trust() : StepFormat.Trust.BARE;
    needsMore = !(reading instanceof Step step) || step.format().needsMore();
  }

  /** Takes one line. */
  Move take(Instant time, Reading reading) {
    number = numberOf(reading);
    var move = rising.take(number);
    if (move != Move.NONE) {
      first = moves == 0 ? time : first;
      last = time;
      moves++;
      since = movesSince == 0 ? time : since;
      movesSince++;
    }
    return move;
  }

  /**
   * The number that the newest line comes to, over all epochs. Where the line does not say by
   * itself, a count that starts over behind its end, or in a later epoch, continues.
   */
  private long numberOf(Reading reading) {
    if (!(reading instanceof Step step)) {
      return reading.count();
    }
    long combined = step.number();
    if (combined == step.count() && combined < count) {
      if (step.epoch() >= 0 ? step.epoch() > epoch : count == total) {
        base += count;
      }
    }
    epoch = Math.max(epoch, step.epoch());
    count = step.count();
    total = step.total();
    return combined == step.count() ? base + combined : combined;
  }

  /** The number that the newest line has come to. */
  long number() {
    return number;
  }

  StepFormat.Trust trust() {
    return trust;
  }

  /** Whether its lines have come often enough to be believed. */
  boolean isEstablished() {
    return !needsMore || moves >= RisingCount.GROWING;
  }

  /** The series that counts has moved: what this one did before is no sign of its having ended. */
  void otherMoved() {
    movesSince = 0;
  }

  /**
   * Whether it counts steps from now on, instead of another: where it is more trustworthy, after a
   * few lines; else once the other has stood for longer than it ever went, while this one moved.
   */
  boolean takesOverFrom(StepSeries other) {
    if (trust.compareTo(other.trust) < 0) {
      return moves >= RisingCount.GROWING;
    }
    return movesSince >= RisingCount.GROWING
        && Duration.between(since, last).compareTo(Duration.between(other.first, other.last)) > 0;
  }
}
