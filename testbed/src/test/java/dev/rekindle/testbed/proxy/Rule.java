package dev.rekindle.testbed.proxy;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** What becomes of some calls, until it is lifted. */
public final class Rule implements AutoCloseable {
  private final Predicate<Call> which;
  private final Treatment treatment;
  private final Consumer<Rule> lift;
  private final AtomicLong hits = new AtomicLong();

  Rule(Predicate<Call> which, Treatment treatment, Consumer<Rule> lift) {
    this.which = which;
    this.treatment = treatment;
    this.lift = lift;
  }

  boolean takes(Call call) {
    boolean taken = which.test(call);
    if (taken) {
      hits.incrementAndGet();
    }
    return taken;
  }

  Treatment treatment() {
    return treatment;
  }

  /** How many calls it has met. */
  public long hits() {
    return hits.get();
  }

  /** Lifts it: later calls are no longer treated so. */
  @Override
  public void close() {
    lift.accept(this);
  }
}
