package dev.rekindle.agent.faults;

import dev.rekindle.agent.config.AgentConfig;
import dev.rekindle.agent.pods.JobLookup;
import dev.rekindle.agent.telemetry.AgentMetrics;
import dev.rekindle.api.RankDevice;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultReports;
import dev.rekindle.detect.fault.FaultResolution;
import dev.rekindle.detect.fault.FaultWriter;
import dev.rekindle.detect.freeze.ContainerOfProcess;
import dev.rekindle.detect.node.KubeletDevices;
import dev.rekindle.detect.nvml.GpuNames;
import dev.rekindle.detect.nvml.NvmlDetector;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.rdma.NicDetector;
import dev.rekindle.detect.rdma.NicNames;
import dev.rekindle.detect.state.StateFolder;
import dev.rekindle.detect.xid.XidCatalog;
import java.io.Closeable;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;

/** What reads the devices of the node, and writes what it finds. */
public final class Devices implements Closeable {
  private final NvmlDetector nvml;
  private final NicDetector nics;
  private final PodResolver victims;

  /**
   * Detectors that have read nothing yet.
   *
   * @param bootId the running boot
   * @param pods training pods of the node, as of now
   * @param faults gets what they find
   * @param state where they keep what outlives the process
   * @param clock the wall clock
   */
  public Devices(
      AgentConfig config,
      String bootId,
      XidCatalog catalog,
      Supplier<Collection<TrainingPod>> pods,
      JobLookup jobs,
      FaultWriter faults,
      StateFolder state,
      InstantSource clock,
      AgentMetrics metrics) {
    var reports = new Written(faults);
    victims =
        new PodResolver(
            new ContainerOfProcess(config.proc()),
            pods,
            this::gpus,
            // The first process of the node shows its files.
            new KubeletDevices(config.proc().resolve("1/root").resolve(KubeletDevices.FILE)),
            jobs::owner);
    nvml =
        new NvmlDetector(
            config.devices().nvml(),
            config.node(),
            bootId,
            state,
            catalog,
            reports,
            victims,
            () -> !pods.get().isEmpty(),
            clock);
    nics = new NicDetector(config.devices().nics(), config.node(), bootId, state, reports, clock);
    new DeviceMetrics(metrics.registry()).watch(nvml::statistics, nics::statistics);
  }

  /** The kernel log reported this. */
  public void heard(FaultObservation observation) {
    nvml.heard(observation);
  }

  /** How the GPUs are called. */
  public GpuNames gpus() {
    return nvml.names();
  }

  /**
   * How busy the GPU is on which a process computes.
   *
   * @param pid its number on the node
   * @return empty where that is not known
   */
  public Optional<RankDevice> use(long pid) {
    return nvml.use(pid);
  }

  /** Who is hit by what the devices do. */
  public PodResolver victims() {
    return victims;
  }

  /** How the RDMA ports are called. */
  public NicNames nics() {
    return nics.names();
  }

  /** To be called about once a second; waits for no device. */
  public void tick() {
    nvml.tick();
    nics.tick();
  }

  @Override
  public void close() {
    nvml.close();
    nics.close();
  }

  /** Whatever the API server refuses for now is thrown, and offered again. */
  private record Written(FaultWriter faults) implements FaultReports {
    @Override
    public void saw(FaultObservation observation) {
      faults.write(observation);
    }

    @Override
    public void gone(FaultResolution clearance) {
      faults.clear(clearance);
    }
  }
}
