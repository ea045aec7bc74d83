package dev.rekindle.simulator.world;

import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.fault.FaultMetrics;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultReports;
import dev.rekindle.detect.fault.FaultResolution;
import dev.rekindle.detect.fault.FaultWriter;
import dev.rekindle.detect.kernel.Finding;
import dev.rekindle.detect.kernelfault.Components;
import dev.rekindle.detect.kernelfault.FaultSink;
import dev.rekindle.detect.kernelfault.JudgeMemory;
import dev.rekindle.detect.kmsg.Boot;
import dev.rekindle.detect.kmsg.KmsgReader;
import dev.rekindle.detect.kmsg.RecordSource;
import dev.rekindle.detect.rdma.NicNames;
import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.rules.Rules;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.xid.XidCatalog;
import dev.rekindle.simulator.engine.Fiber;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the agent of one node states of its faults: the reader of the kernel log, the judge and the
 * writer that ship, on a fiber of their own. In the agent two threads use the writer, one at a
 * time; here what the second one does is done wherever the reader waits.
 */
final class FaultAgent {
  /** Between two rounds in which what waits is written. */
  private static final Duration ROUND = Duration.ofSeconds(1);

  private static final long PAUSED = 1_000_000;

  private static final Judge JUDGE =
      new Judge(Rules.shipped(), XidCatalog.load(), SxidCatalog.load());

  private static final FaultMetrics UNCOUNTED =
      new FaultMetrics() {
        @Override
        public void fault(String code, long count) {}

        @Override
        public void dropped(String code) {}

        @Override
        public void writeFailed(String kind) {}
      };

  private final World world;
  private final Machine machine;
  private final FaultDisk disk;
  private final AgentCalls calls;
  private final Supplier<Instant> wall;

  /** What a detector of devices has seen and is yet to hand on: it sees it again until it has. */
  private final List<Consumer<FaultWriter>> seen = new ArrayList<>();

  private @Nullable Fiber fiber;
  private boolean waiting;
  private Instant rounds = Instant.MIN;

  FaultAgent(World world, Machine machine, FaultDisk disk, Supplier<Instant> wall) {
    this.world = world;
    this.machine = machine;
    this.disk = disk;
    this.calls = new AgentCalls(world, machine);
    this.wall = wall;
  }

  AgentCalls calls() {
    return calls;
  }

  // --- its process --------------------------------------------------------------------------

  /** There may be something to do; a process that is not there does it once it is. */
  void wake(boolean lives) {
    Fiber running = fiber;
    if (running != null) {
      if (waiting) {
        waiting = false;
        running.wake();
      }
    } else if (lives && machine.powered && hasWork()) {
      rounds = Instant.MIN;
      fiber =
          Fiber.start(
              world.loop(), () -> machine.runs() ? 0 : world.loop().micros() + PAUSED, this::live);
    }
  }

  private boolean hasWork() {
    return !seen.isEmpty()
        || machine.log().from(disk.read(machine.bootId()).orElse(-1) + 1) != null;
  }

  /** Its process dies. */
  void end() {
    Fiber running = fiber;
    fiber = null;
    waiting = false;
    if (running != null) {
      running.kill();
      calls.died();
    }
  }

  /** A detector of devices sees this. */
  void sees(FaultObservation observation) {
    seen.add(writer -> writer.write(observation));
  }

  /** A detector of devices finds that this is over. */
  void resolved(FaultResolution resolution) {
    seen.add(writer -> writer.clear(resolution));
  }

  /** Nothing is to be seen any more. */
  void forget() {
    seen.clear();
  }

  private void live() {
    InstantSource clock = wall::get;
    Boot boot = new Boot(machine.bootId(), () -> wall.get().minus(machine.log().uptime()));
    InstantSource steady = world::now;
    FaultWriter writer =
        new FaultWriter(
            new AgentFaults(world, calls), steady, clock, UNCOUNTED, () -> machine.nodeUid);
    FaultSink sink =
        new FaultSink(
            machine.name(),
            boot,
            () -> JUDGE,
            new JudgeMemory(disk, boot, steady),
            this::victim,
            Components.of(() -> NicNames.NONE),
            written(writer),
            (_, _) -> {});
    new KmsgReader(
            () -> new Source(writer),
            disk,
            boot,
            sink,
            () -> world.loop().micros() * 1_000,
            time -> pause(time, writer))
        .run();
  }

  private static FaultReports written(FaultWriter writer) {
    return new FaultReports() {
      @Override
      public void saw(FaultObservation observation) {
        writer.write(observation);
      }

      @Override
      public void gone(FaultResolution clearance) {
        writer.clear(clearance);
      }
    };
  }

  /** The pod whose process runs there, which the driver names; else the only one that holds it. */
  private AffectedPod victim(Finding finding) {
    List<PodObject> holders =
        world.pods().list("spec.nodeName", machine.name()).stream()
            .filter(PodObject::live)
            .filter(pod -> pod.held().has(Hardware.number(machine, finding.device())))
            .toList();
    List<PodObject> running =
        holders.stream()
            .filter(
                pod ->
                    world
                        .gangs()
                        .find(pod.meta().owner())
                        .filter(gang -> gang.processes().find(pod.meta().uid()) != null)
                        .isPresent())
            .toList();
    List<PodObject> hit = running.size() == 1 ? running : holders;
    if (hit.size() != 1) {
      return AffectedPod.UNKNOWN.as(finding.process());
    }
    PodObject pod = hit.getFirst();
    return new AffectedPod(
        pod.meta().namespace(),
        pod.meta().name(),
        pod.meta().owner(),
        pod.job().name(),
        finding.process());
  }

  // --- what is done while the reader waits --------------------------------------------------

  /** The reader waits before it offers a record again. */
  private void pause(Duration time, FaultWriter writer) {
    if (machine.connected && !world.controlPlane().apiAway()) {
      Fiber.sleep(time);
    } else {
      // Every try until then would end the same.
      waiting = true;
      Fiber.park();
    }
    round(writer);
  }

  /** The reader waits for a record. */
  private void idle(FaultWriter writer) {
    round(writer);
    waiting = true;
    if (seen.isEmpty() && !writer.hasWaiting()) {
      Fiber.park();
    } else {
      Fiber.sleep(ROUND);
    }
    waiting = false;
  }

  private void round(FaultWriter writer) {
    if (world.now().isBefore(rounds.plus(ROUND))) {
      return;
    }
    rounds = world.now();
    while (!seen.isEmpty()) {
      Consumer<FaultWriter> first = seen.getFirst();
      try {
        first.accept(writer);
      } catch (KubernetesClientException later) {
        break;
      }
      seen.remove(first);
    }
    writer.flush();
  }

  /** The log of its machine, which waits for the next record. */
  private final class Source implements RecordSource {
    private final FaultWriter writer;
    private byte[] bytes = new byte[0];
    private long next;

    Source(FaultWriter writer) {
      this.writer = writer;
    }

    @Override
    public int next() {
      KernelLog.Entry entry = machine.log().from(next);
      while (entry == null) {
        idle(writer);
        entry = machine.log().from(next);
      }
      if (next > 0 && entry.sequence() > next) {
        next = entry.sequence();
        return OVERWRITTEN;
      }
      next = entry.sequence() + 1;
      bytes = entry.record().getBytes(StandardCharsets.UTF_8);
      return bytes.length;
    }

    @Override
    public byte[] bytes() {
      return bytes;
    }

    @Override
    public void close() {}
  }
}
