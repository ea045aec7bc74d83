package dev.rekindle.detect.restart;

import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReport;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.detect.ApiErrors;
import dev.rekindle.detect.freeze.Freezer;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.restart.JournalEntry.Mark;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
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

  /** How long the API server may be away after a restart before what is over is thawed. */
  private static final Duration BLIND = Duration.ofSeconds(30);

  private static final Logger LOG = LoggerFactory.getLogger(RestartLoop.class);

  private final String node;
  private final boolean enabled;
  private final BooleanSupplier synced;
  private final Supplier<Collection<Order>> orders;
  private final Supplier<Collection<TrainingPod>> pods;
  private final Supplier<? extends Collection<TrainingPod>> gone;
  private final RestartConsent jobs;
  private final RestartReports reports;
  private final RestartJournal notes;
  private final InstantSource clock;
  private final InstantSource counted;
  private final RestartMetrics metrics;
  private final OrderEvidence evidence;
  private final ContainerActions acts;
  private final OrphanReaper ended;
  private final Instant started;
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
    this.node = node;
    this.enabled = enabled;
    this.synced = synced;
    this.orders = orders;
    this.pods = pods;
    this.gone = gone;
    this.jobs = jobs;
    this.reports = reports;
    this.notes = notes;
    this.clock = clock;
    this.metrics = metrics;
    this.evidence = new OrderEvidence(witnesses);
    this.counted = counted;
    this.acts = new ContainerActions(freezer, notes, counted, metrics);
    this.ended = new OrphanReaper(jobs, freezer, metrics);
    this.started = counted.instant();
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
      notes.all().stream().filter(note -> isOverUnheard(note, now)).forEach(this::thaw);
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
        var timed = work.timed(order, notes.of(order.uid()).values(), now);
        active |= work(timed, here, work);
      }
    }
    first = false;
    var known = current.stream().map(Order::uid).collect(Collectors.toSet());
    works.keySet().retainAll(known);
    evidence.retain(known);
    withdraw(known, here);
    held = count();
    busy |= notes.all().stream().anyMatch(note -> isOnItsWay(note, now));
    return busy ? SOON : active || held > 0 ? ACTIVE : CALM;
  }

  private int count() {
    return (int) notes.all().stream().filter(JournalEntry::isHeld).count();
  }

  /** Beyond the limits something is stuck, and checking more often does not help. */
  private static boolean isOnItsWay(JournalEntry note, Instant now) {
    return (note.mark() == Mark.FREEZING || note.mark() == Mark.KILLING)
        && now.isBefore(note.since().plus(RestartDraft.KILL));
  }

  private boolean isOverUnheard(JournalEntry note, Instant now) {
    var until = note.until();
    return (note.mark() == Mark.FREEZING || note.mark() == Mark.FROZEN)
        && until != null
        && now.isAfter(until.plus(BLIND))
        && now.isAfter(started.plus(BLIND));
  }

  private void thaw(JournalEntry note) {
    try {
      acts.perform(new RestartAction.Thaw(note), Optional.empty());
    } catch (IOException e) {
      LOG.atError()
          .addKeyValue(LogKey.POD.key(), note.pod())
          .addKeyValue(LogKey.CONTAINER.key(), note.container())
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("Cannot thaw a container; retrying");
    }
  }

  private void withdraw(Set<String> known, Collection<TrainingPod> here) {
    for (var uid : notes.orders()) {
      if (known.contains(uid)) {
        continue;
      }
      try {
        for (var note : notes.of(uid).values()) {
          var pod = here.stream().filter(one -> one.uid().equals(note.podUid())).findFirst();
          var act = RestartDecision.withdrawn(note, pod, counted.instant());
          if (act.isPresent()) {
            // What is not found for so long is not there, whatever the kubelet says.
            var late = note.since().plus(RestartDraft.KILL).isBefore(counted.instant());
            acts.perform(act.get(), late ? Optional.empty() : pod);
          }
        }
        if (notes.of(uid).values().stream().noneMatch(JournalEntry::isHeld)) {
          notes.forget(uid);
        }
      } catch (IOException e) {
        LOG.atError()
            .addKeyValue(LogKey.ORDER_UID.key(), uid)
            .addKeyValue(LogKey.ERROR.key(), e.toString())
            .log("Cannot undo a withdrawn RestartOrder; retrying");
      }
    }
  }

  /** Works on one order; says whether there is more to come. */
  private boolean work(Order order, Collection<TrainingPod> here, OrderWork work) {
    var now = counted.instant();
    if (!recall(order, work, now)) {
      return true;
    }
    var report = work.report;
    if (report != null && isLast(order, report.getSpec().done())) {
      return false;
    }
    if (concerned(order, here).isEmpty() && notes.of(order.uid()).isEmpty()) {
      return false;
    }
    if (work.problem.isEmpty() && !work.allowed && !isAllowed(order, here, work)) {
      return true;
    }
    act(order, here, work);
    if (work.problem.isEmpty()) {
      problem(
          order, work, RestartDraft.problem(order, here, notes.of(order.uid()), counted.instant()));
    }
    report(order, here, work);
    return true;
  }

  /** Whether nothing is left to do for the order as it is. */
  private static boolean isLast(Order order, @Nullable RestartInstruction done) {
    return done == RestartInstruction.RESTART_ALL
        || (done == RestartInstruction.LOOK && order.instruction() == RestartInstruction.LOOK);
  }

  private void act(Order order, Collection<TrainingPod> here, OrderWork work) {
    var known = notes.of(order.uid());
    var stuck = !work.problem.isEmpty();
    for (var act : RestartDecision.decide(order, here, known, stuck, counted.instant())) {
      var pod = here.stream().filter(one -> one.uid().equals(act.note().podUid())).findFirst();
      if (act instanceof RestartAction.Freeze
          && pod.filter(one -> !known.containsKey(one.uid()) && evidence.isSought(order, one))
              .isPresent()) {
        continue;
      }
      // What fails for one pod must not leave another one as it is.
      try {
        acts.perform(act, pod);
      } catch (IOException | IllegalArgumentException e) {
        problem(order, work, "pod " + act.note().pod() + ": " + e.getMessage());
      }
    }
    for (var note : notes.of(order.uid()).values()) {
      try {
        notes.write(note.until(order.until()));
      } catch (IOException e) {
        problem(order, work, "the notes cannot be kept: " + e.getMessage());
      }
    }
  }

  private static Collection<TrainingPod> concerned(Order order, Collection<TrainingPod> here) {
    return here.stream().filter(order::isFor).filter(pod -> !order.isReplacement(pod)).toList();
  }

  /** Takes up what was reported before; says whether that is known. */
  private boolean recall(Order order, OrderWork work, Instant now) {
    // With notes at hand nothing waits for the API server: a write that meets a report asks again.
    if (!work.toRead || (!notes.of(order.uid()).isEmpty() && !work.mayCall(now))) {
      return true;
    }
    if (!work.mayCall(now)) {
      return false;
    }
    try {
      var stored = reports.read(order);
      work.report = stored;
      work.toRead = false;
      if (stored != null) {
        work.problem = stored.getSpec().problem();
        for (var reported : stored.getSpec().pods()) {
          if (!notes.of(order.uid()).containsKey(reported.podUid())) {
            notes.write(RestartDraft.recall(order, reported, now));
          }
        }
      }
      return true;
    } catch (KubernetesClientException | IOException e) {
      work.failed(now);
      LOG.atWarn()
          .addKeyValue(LogKey.ORDER.key(), order.name())
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("Cannot read the RestartReport of this node; retrying");
      return !notes.of(order.uid()).isEmpty();
    }
  }

  private boolean isAllowed(Order order, Collection<TrainingPod> here, OrderWork work) {
    if (!notes.of(order.uid()).isEmpty()) {
      work.allowed = true;
      return true;
    }
    if (!enabled) {
      problem(order, work, "freezing is switched off on this node (agent.freeze.enabled)");
      return true;
    }
    var allowed = jobs.of(concerned(order, here).iterator().next());
    if (allowed.isEmpty()) {
      return false;
    }
    if (allowed.get()) {
      work.allowed = true;
    } else {
      problem(order, work, "job " + order.job() + " has not opted in to restarts");
    }
    return true;
  }

  private void problem(Order order, OrderWork work, String problem) {
    if (problem.isEmpty() || !work.problem.isEmpty()) {
      return;
    }
    work.problem = problem;
    metrics.problem();
    LOG.atError()
        .addKeyValue(LogKey.JOB.key(), order.namespace() + "/" + order.job())
        .addKeyValue(LogKey.ORDER.key(), order.name())
        .addKeyValue(LogKey.ERROR.key(), problem)
        .log("Cannot carry out a RestartOrder on this node");
  }

  private void report(Order order, Collection<TrainingPod> here, OrderWork work) {
    var now = counted.instant();
    var before = work.report;
    var spec = before == null ? null : before.getSpec();
    var gang = concerned(order, here);
    var done =
        order.instruction() == RestartInstruction.LOOK
            ? evidence.inspected(order, gang)
            : RestartDraft.done(order, here, notes.of(order.uid()));
    if (spec != null && RestartDraft.isLater(spec.done(), done)) {
      done = spec.done();
    }
    var report =
        new RestartReportSpec(
            order.name(),
            order.uid(),
            node,
            order.job(),
            done,
            work.problem,
            RestartDraft.pods(order, here, notes.of(order.uid())),
            clock.instant(),
            evidence.found(order, gang, spec));
    if (!RestartDraft.isNews(order, spec, report) || !work.mayCall(now)) {
      return;
    }
    try {
      work.report = write(order, before, report);
      work.succeeded();
    } catch (KubernetesClientException e) {
      work.failed(now);
      // It may have been written all the same, or by the agent before.
      work.toRead = true;
      metrics.writeFailed("RestartReport");
      LOG.atWarn()
          .addKeyValue(LogKey.ORDER.key(), order.name())
          .addKeyValue(LogKey.ERROR.key(), ApiErrors.describe(e))
          .log("Cannot write a RestartReport; retrying");
    }
  }

  private RestartReport write(Order order, @Nullable RestartReport before, RestartReportSpec spec) {
    var stored = reports.write(order, before, spec);
    LOG.atInfo()
        .addKeyValue(LogKey.JOB.key(), order.namespace() + "/" + order.job())
        .addKeyValue(LogKey.ORDER.key(), order.name())
        .addKeyValue(LogKey.ACTION.key(), spec.done())
        .addKeyValue(LogKey.COUNT.key(), spec.pods().size())
        .addKeyValue(LogKey.ERROR.key(), spec.problem())
        .log("RestartReport written");
    return stored;
  }
}
