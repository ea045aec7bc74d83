package dev.rekindle.simulator.world;

import dev.rekindle.simulator.setup.NodeSetup;
import dev.rekindle.simulator.setup.NodeSetup.GpuUuids;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The hardware of a node, as it really is: the cluster learns of it late or never. */
public final class Machine {
  /** The longest grace period, and some. */
  private static final long JUST = 60;

  private final NodeSetup setup;
  private final KernelLog log;
  boolean powered = true;
  boolean frozen;
  boolean connected = true;
  boolean gpuBroken;

  /** A GPU that a reboot does not repair. */
  boolean gpuDead;

  /** In so many boots more a GPU is not there, and then it is again. */
  int bootsWithoutGpu;

  /** Whether NVML has listed one GPU fewer since then. */
  boolean missesGpu;

  /** A GPU that hurts the process on it, now and then. */
  boolean flaky;

  /** A rank on it hangs some steps after its gang has begun. */
  boolean hangsRanks;

  /** Codes that its hardware is to blame for, though one record of them does not say so. */
  final Set<String> worn = new HashSet<>();

  /** Its kubelet never says NotReady after a boot. */
  boolean bootsQuietly;

  /** How often it was started. */
  private int boots = 1;

  boolean networkBroken;

  /** What those say of its devices who look after them. */
  final DeviceClaims claims = new DeviceClaims();

  /** It was taken away, and no other one is there in its place. */
  boolean absent;

  /** UID of the Node that its agent's token names. */
  String nodeUid = "";

  /** How many machines of the name there were before. */
  private int before;

  /** What is frozen there heeds no signal at all: control groups of version 1. */
  boolean freezesDeaf;

  /** When it last woke up, or was connected again; absent when it always answered. */
  @Nullable Instant woken;

  Machine(NodeSetup setup, InstantSource clock) {
    this.setup = setup;
    this.log = new KernelLog(clock);
  }

  NodeSetup setup() {
    return setup;
  }

  /** The kernel log of its running boot. */
  KernelLog log() {
    return log;
  }

  /** Whether a kernel of it, or of a former machine of its name, has logged that text. */
  public boolean kernelSaid(String text) {
    return log.said(text);
  }

  /** Whether NCCL finds a device for RDMA on it. */
  public boolean rdma() {
    return setup.rdma();
  }

  /** Number of the GPU that has the faults of the machine, if one has. */
  int faultyGpu() {
    return setup.gpus() / 2 * Math.floorMod(name().hashCode(), 2);
  }

  /** Whether a pod on it holds that GPU. */
  public boolean hitsGpuOf(PodObject pod) {
    return pod.held().has(faultyGpu());
  }

  /** UUID of a GPU of it. */
  String gpuUuid(int gpu) {
    return "GPU-%08x-6f5a-4c0e-%04x-3b00000000%02x".formatted(name().hashCode(), before, gpu);
  }

  /** So many of its GPUs, from that number on. */
  HeldGpus held(int first, int gpus) {
    boolean shown = setup.uuids() == GpuUuids.LOG_AND_PODS;
    return new HeldGpus(
        first,
        gpus,
        shown ? IntStream.range(first, first + gpus).mapToObj(this::gpuUuid).toList() : List.of(),
        List.of());
  }

  /** Its node. */
  public String name() {
    return setup.name();
  }

  /** The boot it is in. */
  public String bootId() {
    return name() + "-boot-" + boots;
  }

  /** Whether a GPU of it hurts the process on it. */
  public boolean flaky() {
    return flaky;
  }

  /** Whether its hardware is to blame for a code of which one record does not say so. */
  public boolean isWorn(String code) {
    return worn.contains(code);
  }

  /** Whether there is such a code. */
  public boolean isWorn() {
    return !worn.isEmpty();
  }

  /** Whether a reboot puts it right, as far as it is broken. */
  public boolean mendable() {
    return !gpuDead && !flaky && !networkBroken && !missesGpu;
  }

  /** Another machine is in its place, and was started. */
  void exchanged() {
    absent = false;
    gpuBroken = false;
    gpuDead = false;
    bootsWithoutGpu = 0;
    missesGpu = false;
    flaky = false;
    worn.clear();
    claims.forget();
    networkBroken = false;
    bootsQuietly = false;
    nodeUid = "";
    before++;
    boots++;
    log.boots();
    powered = true;
    frozen = false;
    connected = true;
  }

  /** The container of a pod that was restarted so often, as its runtime names it. */
  String container(String podUid, int restarts) {
    return podUid + "-" + restarts + (before == 0 ? "" : "." + before);
  }

  /** Which machine of the name it is. */
  int number() {
    return before;
  }

  /** It starts again: what a reset repairs is repaired. */
  void boots() {
    boots++;
    log.boots();
    bootsWithoutGpu = Math.max(0, bootsWithoutGpu - 1);
    gpuBroken = gpuDead || bootsWithoutGpu > 0;
  }

  /** Whether its kubelet and its agent can reach the API server. */
  public boolean answers() {
    return powered && !frozen && connected;
  }

  /** Whether processes on it run. */
  public boolean runs() {
    return powered && !frozen;
  }

  /** Whether it woke up so lately that it may still run what was removed while it slept. */
  boolean justWoken(Instant now) {
    return woken != null && woken.plusSeconds(JUST).isAfter(now);
  }

  /** Whether a rank on it can take part in a collective, if its GPUs can. */
  boolean trains() {
    return runs() && !networkBroken;
  }

  /** Whether its hardware is as it should be. */
  public boolean fit() {
    return trains() && !gpuBroken && connected;
  }
}
