package dev.rekindle.controller.app;

import dev.rekindle.controller.kubernetes.Circuits;
import dev.rekindle.controller.kubernetes.CrdCheck;
import dev.rekindle.controller.kubernetes.KubernetesCache;
import dev.rekindle.controller.kubernetes.LeaderLoop;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.notification.Delivery;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.runtime.LeaseTerm;
import dev.rekindle.controller.runtime.Reconciler;
import dev.rekindle.controller.runtime.Repeated;
import dev.rekindle.controller.runtime.WorkQueue;
import dev.rekindle.controller.telemetry.AsyncEventRecorder;
import dev.rekindle.detect.probes.BuildInfo;
import dev.rekindle.detect.probes.ProbeServer;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The running controller: watches from the start, stands for leader, and works once it leads and
 * has seen the whole cluster. A replica that does not lead keeps its views warm.
 */
final class Controller implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Controller.class);
  private static final int JOB_WORKERS = 8;

  /** Cordons in flight: a storm of faults is a storm of these. */
  private static final int NODE_WORKERS = 64;

  private static final long SYNC_CHECK_MILLIS = 50;

  /** Between two comparisons of the CRDs. */
  private static final long CRDS = 5;

  /** Between two checks whether the watches are alive. */
  private static final long LISTEN = 10;

  /**
   * A queue and the reconciler of its keys. The queue is made first: the views add keys, and the
   * reconciler reads the views.
   */
  record Work<K>(WorkQueue<K> queue, Reconciler<K> reconciler) {
    private void start(int workers) {
      queue.start(workers, reconciler);
    }
  }

  private final ControllerConfig config;
  private final KubernetesCache state;
  private final KubernetesClient client;
  private final Work<JobKey> jobs;
  private final Work<String> nodes;
  private final Work<String> policies;
  private final ScheduledExecutorService timer;
  private final AsyncEventRecorder eventRecorder;
  private final Optional<Delivery> notifications;

  /** Renewals wait for nothing but the API server. */
  private final ExecutorService election =
      Executors.newCachedThreadPool(Thread.ofPlatform().name("election-", 0).daemon().factory());

  private final PrometheusRegistry registry;
  private final LeaderLoop leader;
  private final CrdCheck crds = new CrdCheck();
  private final Gauge bookmarks;
  private final Circuits circuits;
  private final Gauge skew;
  private volatile boolean working;
  private @Nullable ProbeServer http;

  Controller(
      ControllerConfig config,
      KubernetesClient client,
      KubernetesCache state,
      Work<JobKey> jobs,
      Work<String> nodes,
      Work<String> policies,
      ScheduledExecutorService timer,
      AsyncEventRecorder eventRecorder,
      Optional<Delivery> notifications,
      PrometheusRegistry registry,
      Circuits circuits,
      LeaseTerm term) {
    this.circuits = circuits;
    this.config = config;
    this.client = client;
    this.state = state;
    this.jobs = jobs;
    this.nodes = nodes;
    this.policies = policies;
    this.timer = timer;
    this.eventRecorder = eventRecorder;
    this.notifications = notifications;
    this.registry = registry;
    this.bookmarks = ProcessMetrics.bookmarks(registry);
    this.skew = ProcessMetrics.clockSkew(registry);
    BuildInfo.register(registry, "controller");
    this.leader =
        new LeaderLoop(client, config.lease(), election, this::work, Controller::end, term);
    new StateMetrics(state.views(), InstantSource.system()).register(registry);
    new ProcessMetrics(
            leader::leading,
            circuits::errors,
            Map.of(
                "jobs", () -> backlog(jobs.queue()),
                "nodes", () -> backlog(nodes.queue()),
                "policies", () -> backlog(policies.queue())))
        .register(registry);
  }

  /** Of a replica that does not lead, what waits is the leader's work. */
  private WorkQueue.Backlog backlog(WorkQueue<?> queue) {
    return working ? queue.backlog() : WorkQueue.Backlog.NONE;
  }

  /**
   * Starts everything; returns at once.
   *
   * @throws IOException when the port of the probes cannot be had
   */
  synchronized void start() throws IOException {
    http = new ProbeServer(config.httpPort(), this::notAlive, this::notReady, registry);
    state.start();
    leader.start();
    Repeated compare = new Repeated("compare the CRDs with this release", () -> crds.check(client));
    Repeated listen = new Repeated("check whether a watch is silent", this::listen);
    var _ = timer.scheduleWithFixedDelay(compare, 0, CRDS, TimeUnit.MINUTES);
    var _ = timer.scheduleWithFixedDelay(listen, LISTEN, LISTEN, TimeUnit.SECONDS);
  }

  /** Starts the workers as soon as every watch has been taken in. */
  private synchronized void work() {
    if (working || !leader.leading()) {
      return;
    }
    if (!state.synced()) {
      var _ = timer.schedule(this::work, SYNC_CHECK_MILLIS, TimeUnit.MILLISECONDS);
      return;
    }
    working = true;
    LOG.atInfo()
        .addKeyValue(LogKey.COUNT.key(), state.jobs().size())
        .log("All views are current; working");
    if (state.views().policy(RuledJob.DEFAULT).isEmpty()) {
      LOG.atError()
          .addKeyValue(LogKey.POLICY.key(), RuledJob.DEFAULT)
          .log("RecoveryPolicy not found; observing only");
    }
    jobs.start(JOB_WORKERS);
    nodes.start(NODE_WORKERS);
    policies.start(1);
    notifications.ifPresent(Delivery::start);
  }

  /** Checks whether all watches are alive. */
  private void listen() {
    circuits.clockSkew().ifPresent(ahead -> skew.set(ahead.toMillis() / 1000.0));
    state.listen().forEach((kind, age) -> bookmarks.labelValues(kind).set(age.toMillis() / 1000.0));
  }

  /** Why the process is not alive; empty when it is. */
  private String notAlive() {
    if (!jobs.queue().alive() || !nodes.queue().alive() || !policies.queue().alive()) {
      return "a work queue has no worker left";
    }
    return ManagementFactory.getThreadMXBean().findDeadlockedThreads() == null
        ? ""
        : "threads wait for each other";
  }

  /** Why the process is not ready; empty when it is. A replica that does not lead is ready too. */
  private String notReady() {
    return state.synced() ? crds.problem() : "not every watch has been taken in";
  }

  /** Ends the process at once: a successor may be at work already. The kubelet starts it again. */
  private static void end() {
    Runtime.getRuntime().halt(1);
  }

  /** Begins no further reconcile, gives the lease up, says what waits, stops watching. */
  @Override
  public synchronized void close() {
    jobs.queue().close();
    nodes.queue().close();
    policies.queue().close();
    notifications.ifPresent(Delivery::close);
    leader.close();
    eventRecorder.close();
    state.close();
    if (http != null) {
      http.close();
    }
    timer.shutdownNow();
    election.shutdownNow();
    client.close();
  }
}
