package dev.rekindle.detect.restart;

import dev.rekindle.detect.freeze.Freezer;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.restart.JournalEntry.Mark;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out RestartOrders on this node. One call of {@link #round} does what is to be done now
 * and waits for nothing but the API server's answer to a report.
 */
public final class RestartLoop {
  /** Until the next round while a container is on its way to be frozen or dead. */
  public static final Duration SOON = Duration.ofMillis(10);

  /** Until the next round while there is an order for this node. */
  public static final Duration ACTIVE = Duration.ofMillis(100);

  /** Until the next round if nothing changes. */
  public static final Duration CALM = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(RestartLoop.class);

  private final boolean enabled;
  private final BooleanSupplier synced;
  private final Supplier<Collection<Order>> orders;
  private final Supplier<Collection<TrainingPod>> pods;
  private final Supplier<? extends Collection<TrainingPod>> gone;
  private final RestartJournal notes;
  private final InstantSource counted;
  private final OrderEvidence evidence;
  private final OrderExecution execution;
  private final ReleasedContainers released;
  private final OrphanReaper ended;
  private final Map<String, OrderWork> works = new HashMap<>();
  private boolean first = true;
  private volatile int held;

  /**
   * A loop.
   *
   * @param enabled whether this agent may freeze; if not, it answers every order with a problem
   * @param synced whether orders and pods are known
   * @param gone gives each pod whose object is gone once
   * @param clock the time that reports name
   * @param counted the time that everything is done by: that of {@code clock} when the process
   *     began, counted on by a clock that never steps
   * @param witnesses asked before containers are frozen, if the order has it
   */
  public RestartLoop(
      String node,
      boolean enabled,
      BooleanSupplier synced,
      Supplier<Collection<Order>> orders,
      Supplier<Collection<TrainingPod>> pods,
      Supplier<? extends Collection<TrainingPod>> gone,
      RestartConsent jobs,
      RestartReports reports,
      Freezer freezer,
      RestartJournal notes,
      InstantSource clock,
      InstantSource counted,
      RestartMetrics metrics,
      GangWitnesses witnesses) {
    this.enabled = enabled;
    this.synced = synced;
    this.orders = orders;
    this.pods = pods;
    this.gone = gone;
    this.notes = notes;
    this.counted = counted;
    this.evidence = new OrderEvidence(witnesses);
    var acts = new ContainerActions(freezer, notes, counted, metrics);
    var reporter = new OrderReporter(node, reports, notes, clock, counted, metrics, evidence);
    this.execution =
        new OrderExecution(enabled, jobs, notes, counted, metrics, evidence, acts, reporter);
    this.released = new ReleasedContainers(notes, acts, counted);
    this.ended = new OrphanReaper(jobs, freezer, metrics);
    this.held = count();
  }

  /** How many containers are held; may be called from any thread. */
  public int held() {
    return held;
  }

  /** Does one round; gives the time until the next. */
  public Duration round() {
    var now = counted.instant();
    var left = gone.get();
    if (enabled) {
      left.forEach(pod -> ended.add(pod, now));
    }
    var busy = ended.work(now);
    if (!synced.getAsBoolean()) {
      released.thawUnheard(now);
      held = count();
      return held > 0 || busy ? ACTIVE : CALM;
    }
    var current = orders.get();
    var here = pods.get();
    var active = false;
    for (var order : current) {
      var work = works.get(order.uid());
      if (here.stream().anyMatch(order::isFor) || !notes.of(order.uid()).isEmpty()) {
        if (work == null) {
          work = new OrderWork(first);
          works.put(order.uid(), work);
        }
        active |= work(order, here, work, now);
      }
    }
    first = false;
    var known = current.stream().map(Order::uid).collect(Collectors.toSet());
    works.keySet().retainAll(known);
    evidence.retain(known);
    released.withdraw(known, here);
    held = count();
    busy |= notes.all().stream().anyMatch(note -> isOnItsWay(note, now));
    return busy ? SOON : active || held > 0 ? ACTIVE : CALM;
  }

  /** What fails for one order must leave neither another one nor what is frozen as it is. */
  private boolean work(Order order, Collection<TrainingPod> here, OrderWork work, Instant now) {
    try {
      var timed = work.timed(order, notes.of(order.uid()).values(), now);
      return execution.work(timed, here, work);
    } catch (RuntimeException | Error e) {
      if (work.isNews(e)) {
        LOG.atError()
            .addKeyValue(LogKey.JOB.key(), order.namespace() + "/" + order.job())
            .addKeyValue(LogKey.ORDER.key(), order.name())
            .setCause(e)
            .log("Work on a RestartOrder failed; retrying");
      }
      return true;
    }
  }

  private int count() {
    return (int) notes.all().stream().filter(JournalEntry::isHeld).count();
  }

  /** Beyond the limits something is stuck, and checking more often does not help. */
  private static boolean isOnItsWay(JournalEntry note, Instant now) {
    return (note.mark() == Mark.FREEZING || note.mark() == Mark.KILLING)
        && now.isBefore(note.since().plus(RestartDraft.KILL));
  }
}
