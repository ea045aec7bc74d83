package dev.rekindle.console;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.function.LongSupplier;

/**
 * How many requests to the API server each user may cause. Where one is at the limit, others are
 * answered as before: the API server is asked little of what the one wants to know, and the answers
 * for others stay cached.
 */
final class UserAllowances {
  /** What a request is for. A page of one thing is answered when no list is any more. */
  enum Use {
    /** A right without which there is no answer. */
    PAGE(0),
    /** One of the many rights of a list, which leaves out what is not known. */
    LIST(4),
    /** Whether a change may be told. */
    STREAM(2);

    private final int part;

    Use(int part) {
      this.part = part;
    }

    /** How many it leaves to the others. */
    int rest(int most) {
      return part == 0 ? 0 : most / part;
    }
  }

  private final int most;
  private final Duration time;
  private final LongSupplier nanos;

  /** Of those who have taken one lately, the one who took it longest ago first. */
  private final SequencedMap<String, Allowance> byOwner = new LinkedHashMap<>();

  /**
   * All have all that they may.
   *
   * @param most how many requests each in that time
   * @param nanos a clock that never steps, in nanoseconds
   */
  UserAllowances(int most, Duration time, LongSupplier nanos) {
    this.most = most;
    this.time = time;
    this.nanos = nanos;
  }

  /**
   * Takes one.
   *
   * @param owner as {@link Visitor#owner}
   * @throws Refused with 429 where too few are left
   */
  synchronized void take(String owner, Use use) {
    Allowance own = byOwner.remove(owner);
    if (own == null) {
      own = new Allowance(most, time, nanos);
    }
    boolean taken = own.take(use.rest(most));
    byOwner.putLast(owner, own);
    forgetThoseWhoHaveAll();
    if (!taken) {
      throw new Refused(Refused.Why.TOO_OFTEN, own.untilNext());
    }
  }

  private void forgetThoseWhoHaveAll() {
    while (!byOwner.isEmpty() && byOwner.firstEntry().getValue().isFull()) {
      byOwner.pollFirstEntry();
    }
  }

  /** Of how many users something is kept. */
  synchronized int size() {
    return byOwner.size();
  }
}
