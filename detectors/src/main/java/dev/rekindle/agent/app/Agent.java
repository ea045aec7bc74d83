package dev.rekindle.agent.app;

import dev.rekindle.agent.config.AgentConfig;
import dev.rekindle.agent.faults.ApiFaults;
import dev.rekindle.agent.faults.Devices;
import dev.rekindle.agent.faults.OwnNode;
import dev.rekindle.agent.faults.RulesReloader;
import dev.rekindle.agent.pods.ApiPause;
import dev.rekindle.agent.pods.DeletionCheck;
import dev.rekindle.agent.pods.JobLookup;
import dev.rekindle.agent.pods.JobSettings;
import dev.rekindle.agent.pods.PodTable;
import dev.rekindle.agent.progress.ProgressLoop;
import dev.rekindle.agent.progress.ReportWriter;
import dev.rekindle.agent.restart.OrderTable;
import dev.rekindle.agent.restart.RestartReportWriter;
import dev.rekindle.agent.telemetry.AgentMetrics;
import dev.rekindle.detect.ApiErrors;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.evidence.GangEvidence;
import dev.rekindle.detect.evidence.LiveWitnesses;
import dev.rekindle.detect.evidence.PodLines;
import dev.rekindle.detect.evidence.RankWitnesses;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultReports;
import dev.rekindle.detect.fault.FaultResolution;
import dev.rekindle.detect.fault.FaultWriter;
import dev.rekindle.detect.freeze.ContainerFreezer;
import dev.rekindle.detect.kernelfault.Components;
import dev.rekindle.detect.kernelfault.FaultSink;
import dev.rekindle.detect.kernelfault.JudgeFile;
import dev.rekindle.detect.kernelfault.JudgeMemory;
import dev.rekindle.detect.kernelfault.NodeDisks;
import dev.rekindle.detect.kernelfault.PciTree;
import dev.rekindle.detect.kmsg.Boot;
import dev.rekindle.detect.kmsg.KmsgReader;
import dev.rekindle.detect.kmsg.UndeliveredException;
import dev.rekindle.detect.probes.ProbeServer;
import dev.rekindle.detect.progress.PodProgress;
import dev.rekindle.detect.restart.GangWitnesses;
import dev.rekindle.detect.restart.JournalFile;
import dev.rekindle.detect.restart.RestartJournal;
import dev.rekindle.detect.restart.RestartLoop;
import dev.rekindle.detect.rules.RulesFile;
import dev.rekindle.detect.state.StateFolder;
import dev.rekindle.detect.xid.XidCatalog;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running agent: three loops, and what serves its health. */
final class Agent implements Closeable {
  /** A round that takes longer than this means that its loop is stuck. */
  private static final Duration STUCK = Duration.ofMinutes(2);

  /** Between rounds while no pod is followed: devices and the rules have a pace of their own. */
  private static final Duration CALM = Duration.ofSeconds(1);

  private static final Duration LAST_ACT = Duration.ofSeconds(2);
  private static final Logger LOG = LoggerFactory.getLogger(Agent.class);

  private final SteadyClock steady = SteadyClock.system();
  private final Devices devices;
  private final RulesReloader rules;
  private final FaultSink sink;
  private final KmsgReader kmsg;
  private final Thread kmsgThread;
  private final PodTable pods;
  private final OrderTable orders;
  private final LoopThread restartRounds;
  private final LoopThread progressRounds;
  private final ProbeServer http;
  private final HeapTrimmer old = HeapTrimmer.ofThisProcess();

  /**
   * Starts everything.
   *
   * @throws IOException when the state directory cannot be made, the boot cannot be determined, or
   *     the port is taken
   */
  Agent(
      AgentConfig config,
      KubernetesClient client,
      Boot boot,
      InstantSource clock,
      PrometheusRegistry registry)
      throws IOException {
    Files.createDirectories(config.state());
    var state = new StateFolder(config.state(), AgentClient.json());
    var metrics = new AgentMetrics(registry);
    var faults =
        new FaultWriter(
            new ApiFaults(client),
            steady,
            clock,
            metrics,
            new OwnNode(config.token(), client.getKubernetesSerialization())::uid);
    restartRounds = new LoopThread("restart", steady);
    progressRounds = new LoopThread("progress", steady);
    pods =
        new PodTable(
            client,
            config.node(),
            config.namespaces(),
            () -> {
              restartRounds.wake();
              progressRounds.wake();
            },
            steady);
    var pause = new ApiPause(steady);
    var jobs = new JobLookup(client, steady, pause);
    devices =
        new Devices(
            config, boot.id(), XidCatalog.load(), pods::all, jobs, faults, state, clock, metrics);
    rules = new RulesReloader(new RulesFile(config.rules()), metrics);
    rules.check(steady.instant());
    sink =
        new FaultSink(
            config.node(),
            boot,
            rules::judge,
            new JudgeMemory(new JudgeFile(state), boot, steady),
            devices.victims(),
            new Components(
                devices::nics,
                devices::gpus,
                new PciTree(Path.of("/sys/bus/pci/devices"))::isBelow,
                new NodeDisks(config.proc().resolve("1/mountinfo"), Path.of("/sys/dev/block"))
                    ::areTheNodes),
            delivery(faults, devices),
            metrics);
    kmsg = new KmsgReader(config.kmsg(), state, boot, sink);
    metrics.watchKmsg(kmsg::statistics);
    // A blocking read of a device would hold the carrier of a virtual thread.
    kmsgThread = Thread.ofPlatform().daemon().name("kmsg").start(kmsg);
    orders = new OrderTable(client, config.namespaces(), restartRounds::wake, steady);
    var lines = new PodLines();
    var progress =
        new ProgressLoop(
            config.podLogs(),
            config.reportInterval(),
            clock,
            steady,
            pods::all,
            jobs,
            pause,
            new ReportWriter(client, config.node()),
            metrics,
            // Without leave to freeze, the chart does not show it the node's processes.
            config.evidence() && config.freeze()
                ? new LiveWitnesses(config.proc(), devices::use)
                : RankWitnesses.NONE,
            lines,
            PodProgress::new);
    metrics.watchPods(progress::followed);
    metrics.watchUnread(progress::unread);
    var gone = new DeletionCheck(pods::takeGone, pods::all, pods::check, steady);
    var restarts =
        new RestartLoop(
            config.node(),
            config.freeze(),
            () -> pods.isSynced() && orders.isSynced(),
            orders::all,
            gone::there,
            gone::take,
            pod -> jobs.known(pod).map(JobSettings::restart),
            new RestartReportWriter(client, config.node()),
            new ContainerFreezer(config.cgroup(), config.proc()),
            new RestartJournal(new JournalFile(state)),
            clock,
            SteadyClock.system().from(clock.instant()),
            metrics,
            config.evidence()
                ? new GangEvidence(config.proc(), config.cgroup(), lines, devices::use)
                : GangWitnesses.NONE);
    metrics.watchFrozen(restarts::held);
    metrics.watchAside(faults::aside);
    http = new ProbeServer(config.httpPort(), this::notAlive, this::notReady, registry);
    restartRounds.start(RestartLoop.ACTIVE, restarts::round);
    progressRounds.start(ProgressLoop.TICK, () -> round(progress, faults));
    LOG.atInfo()
        .addKeyValue(LogKey.NODE.key(), config.node())
        .addKeyValue(LogKey.KERNEL_LOG.key(), config.kmsg())
        .addKeyValue(LogKey.POD_LOGS.key(), config.podLogs())
        .addKeyValue(LogKey.BOOT.key(), boot.id())
        .addKeyValue(LogKey.FREEZE.key(), config.freeze())
        .addKeyValue(LogKey.DEVICES.key(), config.devices().shown())
        .addKeyValue(LogKey.PORT.key(), http.port())
        .log("Agent started");
  }

  /** Whatever fails is thrown on: the reader offers the record again. */
  private static FaultReports delivery(FaultWriter faults, Devices devices) {
    return new FaultReports() {
      @Override
      public void saw(FaultObservation observation) {
        devices.heard(observation);
        try {
          faults.write(observation);
        } catch (KubernetesClientException e) {
          throw new UndeliveredException(
              "NodeFault " + observation.name() + " was not written: " + ApiErrors.describe(e), e);
        }
      }

      @Override
      public void gone(FaultResolution clearance) {
        try {
          faults.clear(clearance);
        } catch (KubernetesClientException e) {
          throw new UndeliveredException(
              "Faults of "
                  + clearance.componentId()
                  + " were not cleared: "
                  + ApiErrors.describe(e),
              e);
        }
      }
    };
  }

  private Duration round(ProgressLoop progress, FaultWriter faults) {
    devices.tick();
    rules.check(steady.instant());
    pods.listen();
    orders.listen();
    progress.tick();
    faults.flush();
    old.check();
    return progress.followed() > 0 ? ProgressLoop.TICK : CALM;
  }

  /** Port of the health endpoints. */
  int port() {
    return http.port();
  }

  private String notAlive() {
    if (!kmsgThread.isAlive()) {
      return "the reader of the kernel log has ended";
    }
    var progress = progressRounds.notAlive(STUCK);
    return progress.isEmpty() ? restartRounds.notAlive(STUCK) : progress;
  }

  private String notReady() {
    if (!kmsg.statistics().open()) {
      return "the kernel log cannot be opened";
    }
    if (!pods.isSynced()) {
      return "the pods of this node are not known yet";
    }
    return orders.isSynced() ? "" : "the orders to restart in place are not known yet";
  }

  @Override
  public void close() throws IOException {
    http.close();
    progressRounds.close();
    restartRounds.close();
    devices.close();
    orders.close();
    pods.close();
    kmsg.close();
    try {
      // It puts the cursor on disk as its last act.
      if (kmsgThread.join(LAST_ACT)) {
        sink.close();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
