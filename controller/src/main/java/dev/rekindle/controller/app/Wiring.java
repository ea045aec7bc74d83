package dev.rekindle.controller.app;

import dev.rekindle.controller.fencing.FenceReconciler;
import dev.rekindle.controller.fencing.NodeWrites;
import dev.rekindle.controller.kubernetes.Circuits;
import dev.rekindle.controller.kubernetes.KubernetesCache;
import dev.rekindle.controller.kubernetes.KubernetesGateway;
import dev.rekindle.controller.kubernetes.convert.InspectorJob;
import dev.rekindle.controller.kubernetes.convert.SparePod;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.nodehealth.NodeHealthReconciler;
import dev.rekindle.controller.policy.PolicyReconciler;
import dev.rekindle.controller.port.Changes;
import dev.rekindle.controller.recovery.JobReconciler;
import dev.rekindle.controller.runtime.Backoff;
import dev.rekindle.controller.runtime.CompositeReconciler;
import dev.rekindle.controller.runtime.LeaseTerm;
import dev.rekindle.controller.runtime.ParallelExecutor;
import dev.rekindle.controller.runtime.WorkQueue;
import dev.rekindle.controller.telemetry.AsyncEventRecorder;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.probes.RuntimeMetrics;
import dev.rekindle.watch.AsciiWatch;
import dev.rekindle.watch.BoundedLists;
import dev.rekindle.watch.StoredJson;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.random.RandomGenerator;

/** Creates and connects all parts. The only place with the system clock and a random source. */
final class Wiring {
  private static final int REQUEST_TIMEOUT_MILLIS = 10_000;
  private static final int CONNECTION_TIMEOUT_MILLIS = 5_000;

  /** A controller is of no use until all its watches have listed. */
  private static final Duration FIRST_WATCH_RETRY = Duration.ofSeconds(1);

  private static final Duration FIRST_DELAY = Duration.ofMillis(200);
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(30);

  /** Events that wait to be written: a few for each of so many nodes or jobs at once. */
  private static final int MAX_QUEUED_EVENTS = 1_000;

  /** Effects of one job that are carried out at a time. */
  private static final int MAX_IN_FLIGHT = 32;

  private Wiring() {}

  /** A client for the cluster that the environment names. */
  static KubernetesClient client(Circuits circuits) {
    // Calls are repeated at one place, in the gateway.
    Config config =
        new ConfigBuilder()
            .withRequestRetryBackoffLimit(0)
            .withRequestTimeout(REQUEST_TIMEOUT_MILLIS)
            .withConnectionTimeout(CONNECTION_TIMEOUT_MILLIS)
            // A web socket hands over one event at a time, through four threads. On a busy machine
            // that is too slow for a gang of a thousand: the API server ends the watch.
            .withOnlyHttpWatches(true)
            .withUserAgent("rekindle-controller")
            .build();
    return new KubernetesClientBuilder()
        .withConfig(config)
        .withKubernetesSerialization(StoredJson.ofAllTypes())
        .withHttpClientBuilderConsumer(
            http ->
                http.addOrReplaceInterceptor(AsciiWatch.NAME, new AsciiWatch())
                    .addOrReplaceInterceptor(BoundedLists.NAME, new BoundedLists())
                    .addOrReplaceInterceptor(Circuits.NAME, circuits.interceptor()))
        .build();
  }

  /** The controller, which closes the client when it is closed. */
  static Controller controller(
      ControllerConfig config, KubernetesClient client, Circuits circuits, LeaseTerm term) {
    InstantSource clock = InstantSource.system();
    SteadyClock steady = SteadyClock.system();
    ScheduledExecutorService timer =
        Executors.newScheduledThreadPool(
            2, Thread.ofPlatform().name("timer-", 0).daemon().factory());
    PrometheusRegistry registry = new PrometheusRegistry();
    RuntimeMetrics.register(registry);

    WorkQueue<JobKey> jobs = new WorkQueue<>("jobs", backoff(), steady);
    WorkQueue<String> nodes = new WorkQueue<>("nodes", backoff(), steady);
    WorkQueue<String> policies = new WorkQueue<>("policies", backoff(), steady);
    KubernetesCache state =
        new KubernetesCache(
            client,
            Changes.to(jobs::add, nodes::add, policies::add),
            timer,
            new Backoff(FIRST_WATCH_RETRY, LONGEST_DELAY, RandomGenerator.getDefault()),
            config.namespaces(),
            config.ascend(),
            NodeHealthReconciler::conditions);
    AsyncEventRecorder eventRecorder = new AsyncEventRecorder(MAX_QUEUED_EVENTS);
    KubernetesGateway gateway =
        new KubernetesGateway(
            client,
            circuits,
            state,
            new InspectorJob(config.inspectorImage(), config.inspectorPullPolicy()),
            new SparePod(
                config.inspectorImage(), config.inspectorPullPolicy(), config.spareClass()),
            config.lease().namespace(),
            config.lease().identity(),
            eventRecorder,
            clock);
    Metrics metrics = new Metrics(registry);
    NodeWrites writes = new NodeWrites(gateway, metrics, clock);
    return new Controller(
        config,
        client,
        state,
        new Controller.Work<>(
            jobs,
            new JobReconciler(
                state.views(),
                gateway,
                metrics,
                clock,
                ParallelExecutor.onVirtualThreads(MAX_IN_FLIGHT),
                steady,
                config.history())),
        new Controller.Work<>(
            nodes,
            new CompositeReconciler<>(
                List.of(
                    new FenceReconciler(state.views(), gateway, metrics, clock, writes),
                    new NodeHealthReconciler(state.views(), gateway, clock, writes)))),
        new Controller.Work<>(policies, new PolicyReconciler(state.views(), gateway)),
        timer,
        eventRecorder,
        NotificationWiring.delivery(config, client, circuits, state.views(), registry),
        registry,
        circuits,
        term);
  }

  private static Backoff backoff() {
    return new Backoff(FIRST_DELAY, LONGEST_DELAY, RandomGenerator.getDefault());
  }
}
