package dev.rekindle.simulator.chaos;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FaultView.Incident;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The true evidence against each node: active faults, faults that were just cleared, and programs
 * that fail elsewhere as well. Several invariants use it; it checks nothing.
 */
final class Evidence {
  /** Actions of the catalogue that a reboot includes. */
  private static final Set<String> REBOOT_REPAIRS =
      Set.of("reboot_node", "reset_gpu", "drain_and_reset", "restart_job");

  /** Boots in which a fault was seen, from which on no reboot clears it. */
  private static final int STUBBORN = 3;

  private static final String CONDITION = "condition";

  /** They mark devices for harmless codes as well, whichever job has the device. */
  private static final Set<String> PLUGINS = Set.of("device-plugin", "hami");

  /** What those who look after nodes count, for any cause: programs cause most of it. */
  private static final String COUNTED = "condition XIDErrors is ";

  private final World world;
  private final Supplier<Instant> clock;

  private final Map<String, Instant> faultGone = new HashMap<>();

  /** When a fault was last written. */
  private final Map<String, Instant> writtenAt = new HashMap<>();

  /** When the former Node of each name was deleted. */
  private final Map<String, Instant> deleted = new HashMap<>();

  /** The boots that the kubelet of each node has reported. */
  private final Map<String, Set<String>> boots = new HashMap<>();

  /** A program that met a code, as agents reported. */
  private record Met(String program, String code) {}

  /** The nodes on which it did, and when that was first reported. */
  private final Map<Met, Map<String, Instant>> reported = new HashMap<>();

  /** The same, and what was deleted since: it excuses a device as long as it is remembered. */
  private final Map<Met, Set<String>> everReported = new HashMap<>();

  Evidence(World world, Supplier<Instant> clock) {
    this.world = world;
    this.clock = clock;
    world.faults().watch(this::faultChanged);
    world.nodes().watch(this::nodeChanged);
  }

  private Instant now() {
    return clock.get();
  }

  private boolean longAgo(@Nullable Instant then) {
    return Check.longBefore(then, now());
  }

  private void faultChanged(Change<FaultObject> change) {
    FaultView fault = change.object().view();
    if (PLUGINS.contains(fault.detector())) {
      return;
    }
    if (change.after() == null) {
      faultGone.put(fault.node(), now());
      writtenAt.remove(change.key());
      reported.forEach(
          (met, nodes) -> {
            if (met.code().equals(fault.code())) {
              nodes.remove(fault.node());
            }
          });
      return;
    }
    if (!fault.active()) {
      faultGone.put(fault.node(), now());
    }
    writtenAt.put(change.key(), now());
    for (Met met : met(fault)) {
      reported.computeIfAbsent(met, _ -> new HashMap<>()).putIfAbsent(fault.node(), now());
      everReported.computeIfAbsent(met, _ -> new HashSet<>()).add(fault.node());
    }
  }

  private void nodeChanged(Change<NodeObject> change) {
    NodeObject before = change.before();
    NodeObject after = change.after();
    if (after == null) {
      deleted.put(change.key(), now());
      return;
    }
    Set<String> known = boots.computeIfAbsent(change.key(), _ -> new HashSet<>());
    known.add(after.bootId());
    if (before != null) {
      // The boot in which a run begins is never announced.
      known.add(before.bootId());
    }
    if (before != null && !before.bootId().equals(after.bootId())) {
      faultGone.put(change.key(), now());
    }
  }

  /**
   * Whether a fault of the node was cleared a moment ago: a process that has not seen it may still
   * act.
   */
  boolean goneLately(String node) {
    Instant gone = faultGone.get(node);
    return gone != null && !longAgo(gone);
  }

  /**
   * Whether a former Node of that name was deleted a moment ago: a process that has not seen it
   * takes its faults for those of the present one. This leads to no fence, as a cordon names the
   * Node's UID.
   */
  boolean replacedLately(String node) {
    Instant then = deleted.get(node);
    return then != null && !longAgo(then);
  }

  /** Whether the fault was last seen and reported so long ago that every watch has shown it. */
  boolean wellKnown(FaultObject fault) {
    return longAgo(fault.view().lastSeen()) && longAgo(writtenAt.get(fault.meta().key()));
  }

  /** Whether the node has a fault that fences by itself, and every watch had shown it then. */
  boolean knownFaulty(String node, Instant then) {
    if (goneLately(node) || replacedLately(node)) {
      return false;
    }
    for (FaultObject fault : world.faults().all()) {
      if (fault.view().node().equals(node)
          && fault.view().fence() == FenceGuidance.ALWAYS
          && Check.longBefore(fault.view().lastSeen(), then)
          && Check.longBefore(writtenAt.get(fault.meta().key()), then)
          && stands(fault)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the node has, or had a moment ago, a fault that is reason to fence it. */
  boolean faulty(String node) {
    if (goneLately(node)) {
      return true;
    }
    for (FaultObject fault : world.faults().all()) {
      if (fault.view().node().equals(node) && stands(fault)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the node seems to have damaged two jobs: one of them was not known to fail elsewhere as
   * well, for so long that every watch has shown it.
   */
  boolean mayLookFlaky(String node) {
    for (FaultObject fault : world.faults().all()) {
      if (fault.view().node().equals(node)
          && fault.view().active()
          && !PLUGINS.contains(fault.view().detector())
          && fault.view().fence() == FenceGuidance.THRESHOLD) {
        long programs =
            met(fault.view()).stream().filter(met -> !failsElsewhere(met, node)).count();
        if (programs > 1 || forged(fault.view())) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * The programs that it hit, however often the job was created again; empty where that is not
   * known. Another code of the same program does not count as evidence for this one.
   */
  private static Set<Met> met(FaultView fault) {
    Set<Met> met = new HashSet<>();
    if (forged(fault)) {
      return met;
    }
    for (Incident incident : fault.incidents()) {
      if (!incident.owner().isEmpty()) {
        met.add(new Met(incident.namespace() + "/" + incident.owner(), fault.code()));
      }
    }
    return met;
  }

  /** A stolen agent harms its own node by it, and excuses no other. */
  private static boolean forged(FaultView fault) {
    return fault.evidence().startsWith(StolenAgent.OF_ITS_NODE);
  }

  private boolean failsElsewhere(Met met, String node) {
    for (Map.Entry<String, Instant> report : reported.getOrDefault(met, Map.of()).entrySet()) {
      if (!report.getKey().equals(node)
          && (longAgo(report.getValue()) || early(report.getValue()))) {
        return true;
      }
    }
    return false;
  }

  /** Before the controller began: its first list shows it. */
  private static boolean early(Instant then) {
    return then.isBefore(Loop.T0.plusMillis(1));
  }

  /** Whether a fault of the hardware stands, and nothing has proven it gone. */
  boolean stands(FaultObject fault) {
    FaultView f = fault.view();
    boolean hardware =
        isShown(f)
            || (f.fence() == FenceGuidance.ALWAYS && !f.detector().equals(CONDITION))
            || (f.fence() == FenceGuidance.THRESHOLD
                && !PLUGINS.contains(f.detector())
                && (world.machine(f.node()).isWorn(f.code()) || (hurtTwo(f) && flaky(f.node()))));
    boolean rebooted =
        !f.bootId().isEmpty()
            && isBootOver(f)
            && REBOOT_REPAIRS.contains(f.action())
            && boots(f) < STUBBORN;
    return f.active() && hardware && !rebooted && isOfPresentNode(f);
  }

  /**
   * Whether a reboot has cleared it that had come back after two others: no reboot counts as a
   * repair any more.
   */
  boolean isStubborn(FaultObject fault) {
    FaultView f = fault.view();
    return !f.active()
        && f.clearedBy().equals("reboot")
        && f.fence() != FenceGuidance.NEVER
        && boots(f) >= STUBBORN
        && isOfPresentNode(f);
  }

  private static long boots(FaultView f) {
    return f.incidents().stream().map(Incident::bootId).distinct().count();
  }

  /**
   * Whether a condition of the node says that its hardware is broken, whatever is made of that.
   * What is stored says by which words of its author.
   */
  boolean isShown(FaultView fault) {
    return fault.detector().equals(CONDITION) && !fault.evidence().startsWith(COUNTED);
  }

  /** A fault of an earlier Node of the name is no evidence against the present one. */
  private boolean isOfPresentNode(FaultView fault) {
    return world.nodes().find(fault.node()).filter(n -> !fault.isOf(n.view())).isEmpty();
  }

  /**
   * Whether the kubelet has reported a later boot than the fault's: until then nothing shows that
   * the machine was started again, and an agent speaks of a new boot before the kubelet does.
   */
  private boolean isBootOver(FaultView f) {
    String reported = world.nodes().find(f.node()).map(NodeObject::bootId).orElse("");
    String now = world.machine(f.node()).bootId();
    boolean heard = boots.getOrDefault(f.node(), Set.of()).contains(f.bootId());
    return !f.bootId().equals(reported)
        && !f.bootId().equals(now)
        && (heard || reported.equals(now));
  }

  /**
   * A job that has met the same code on another node is no evidence: its program may be the cause.
   */
  private boolean hurtTwo(FaultView f) {
    Set<String> here = Set.of(f.node());
    return met(f).stream()
            .filter(met -> here.containsAll(everReported.getOrDefault(met, Set.of())))
            .count()
        > 1;
  }

  private boolean flaky(String node) {
    return world.machine(node).flaky();
  }
}
