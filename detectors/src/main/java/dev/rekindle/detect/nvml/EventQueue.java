package dev.rekindle.detect.nvml;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RepairAction;
import dev.rekindle.detect.MigInstance;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.xid.XidCatalog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Events on their way to be reported. An XID is first left to the kernel log, which says more about
 * it: only where the log does not report the same XID of the same GPU, NVML's word is taken. The
 * name of the fault is the same either way.
 */
final class EventQueue {
  /** Time for the kernel log. */
  static final Duration PATIENCE = Duration.ofSeconds(5);

  /** An XID in the log belongs to an event when they are no further apart than this. */
  static final Duration SAME = Duration.ofSeconds(30);

  private static final long UNKNOWN_XID = 999;
  private static final int MOST = 256;

  private final String node;
  private final String bootId;
  private final XidCatalog catalog;
  private final GpuHolders holders;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private final Map<String, Instant> heard = new LinkedHashMap<>();

  private record Waiting(NvmlEvent event, Instant time) {}

  EventQueue(String node, String bootId, XidCatalog catalog, GpuHolders holders) {
    this.node = node;
    this.bootId = bootId;
    this.catalog = catalog;
    this.holders = holders;
  }

  /** The kernel log reported this. */
  synchronized void heard(NodeFaultSpec fault, Instant now) {
    var key = fault.componentId() + " " + fault.code();
    heard.remove(key);
    heard.put(key, now);
    if (heard.size() > MOST) {
      heard.remove(heard.keySet().iterator().next());
    }
  }

  synchronized void add(NvmlEvent event, Instant now) {
    if (waiting.size() == MOST) {
      waiting.removeFirst();
    }
    waiting.add(new Waiting(event, now));
  }

  /** Hands on what is due. What the taker throws at stays, and so does all that came after it. */
  synchronized void flush(Instant now, Consumer<FaultObservation> taker) {
    for (var next = waiting.peek(); next != null; next = waiting.peek()) {
      var isXid = next.event().type() == NvmlEvent.XID;
      if (isXid && isToWait(next, now)) {
        return;
      }
      if (!isXid || !wasHeard(next)) {
        fault(next.event(), next.time()).ifPresent(taker);
      }
      waiting.remove();
    }
  }

  /** By a clock that was set back it would have to wait for as long, and all that came since. */
  private static boolean isToWait(Waiting one, Instant now) {
    var age = Duration.between(one.time(), now);
    return !age.isNegative() && age.compareTo(PATIENCE) < 0;
  }

  private boolean wasHeard(Waiting one) {
    var time = heard.get(one.event().pci() + " XID-" + one.event().data());
    return time != null && Duration.between(one.time(), time).abs().compareTo(SAME) <= 0;
  }

  private Optional<FaultObservation> fault(NvmlEvent event, Instant time) {
    if (event.type() == NvmlEvent.XID && event.data() != UNKNOWN_XID) {
      var entry = catalog.lookup((int) event.data());
      return fault(
          event,
          "XID-" + event.data(),
          entry.fence(),
          entry.action(),
          "NVML reported XID " + event.data() + ", the kernel log did not",
          time);
    }
    if (event.type() == NvmlEvent.FATAL_POISON) {
      // The XID that comes with it says whether this GPU needs a reset.
      return fault(
          event,
          NvmlCode.FATAL_POISON.word(),
          FenceGuidance.THRESHOLD,
          RepairAction.RESET_GPU.word(),
          "NVML reported that poisoned memory was consumed",
          time);
    }
    if (event.type() == NvmlEvent.GPU_UNAVAILABLE) {
      // What has become of it says the poll that follows.
      return fault(
          event,
          NvmlCode.GPU_UNAVAILABLE.word(),
          FenceGuidance.THRESHOLD,
          RepairAction.INVESTIGATE.word(),
          "NVML reported that the GPU is unavailable",
          time);
    }
    return Optional.empty();
  }

  private Optional<FaultObservation> fault(
      NvmlEvent event,
      String code,
      FenceGuidance fence,
      String action,
      String evidence,
      Instant time) {
    return Optional.of(
        new FaultObservation(
            NvmlEvaluator.spec(node, bootId, event.pci(), code, fence, action, time, evidence),
            FaultObservation.NO_SEQUENCE,
            time,
            event.part().map(MigInstance::toString).orElse(""),
            holders.holder(event.pci(), event.part())));
  }
}
