package dev.rekindle.simulator.chaos;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** How many objects one job, or one node, leaves behind, and how big they are. */
final class SmallObjects extends Check {
  static final int MOST = 64;

  /** Each node has one GPU and one NIC that break, and fewer codes than this. */
  static final int MOST_FAULTS = 24;

  /** One recovery has one of each at a time; those of a controller that died may stand beside. */
  static final int MOST_ORDERS = 8;

  static final int MOST_INSPECTORS = 8;

  /** One for each order and node. */
  static final int MOST_REPORTS = 32;

  /** A thousandth of what etcd takes: gangs here have four ranks. */
  static final int BYTES = 32 * 1_024;

  /** Of a timeline. */
  private static final int FEW_ENTRIES = 4;

  /** Our annotations of one object, in bytes: host names, and a history of incidents. */
  static final int ANNOTATIONS = 4 * 1_024;

  private static final ObjectMapper JSON =
      JsonMapper.builder().addModule(new JavaTimeModule()).build();

  /** How many live objects there are of each kind and owner. */
  private final Map<String, Integer> counts = new HashMap<>();

  /** By key of a Recovery that is open, entries of its timeline when it was last measured. */
  private final Map<String, Integer> timelines = new HashMap<>();

  /** By kind and name, what was last measured. */
  private final Map<String, Object> measured = new HashMap<>();

  SmallObjects(World world, Invariants all, Answers answers) {
    super(world, all, Invariant.SMALL_OBJECTS);
    world.faults().watch(c -> count(c, "NodeFaults", MOST_FAULTS, f -> f.view().node()));
    // Where none may be deleted, the last one of each recovery stays (seed 50006).
    world
        .orders()
        .watch(
            c ->
                count(
                    c,
                    "RestartOrders",
                    answers.refusedForGood(Call.WITHDRAW, c.object().job()) ? MOST : MOST_ORDERS,
                    o -> o.spec().jobUid()));
    world
        .restarts()
        .watch(c -> count(c, "RestartReports", MOST_REPORTS, r -> r.view().job().toString()));
    // Where none may be stopped, one of each recovery stays: on a cluster until its Job's time to
    // live.
    world
        .inspectors()
        .watch(
            c ->
                count(
                    c,
                    "inspectors",
                    answers.refusedForGood(Call.STOP_INSPECTOR, c.object().job())
                        ? MOST
                        : MOST_INSPECTORS,
                    i -> i.job().toString()));
  }

  private <T extends ApiObject<T>> void count(
      Change<T> change, String what, int most, Function<T, String> owner) {
    T before = change.before();
    T after = change.after();
    if (before != null && after != null) {
      return;
    }
    String of = owner.apply(change.object());
    int count = counts.merge(what + " of " + of, after == null ? -1 : 1, Integer::sum);
    if (count > most) {
      broken("%s has %d %s".formatted(of, count, what));
    }
  }

  @Override
  public void opened(RecoveryObject recovery) {
    int count = 0;
    for (RecoveryObject other : world.recoveries().all()) {
      count += other.spec().jobUid().equals(recovery.spec().jobUid()) ? 1 : 0;
    }
    if (count > MOST) {
      broken("job %s has %d recoveries".formatted(recovery.view().job(), count));
    }
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    RecoveryPhase phase = after == null ? null : after.phase();
    if (after != null && phase != null && phase.isTerminal()) {
      measure("Recovery " + before.meta().name(), after);
    }
  }

  @Override
  void look() {
    for (RecoveryObject recovery : world.recoveries().all()) {
      RecoveryStatus status = recovery.status();
      if (status != null && recovery.open() && grown(recovery, status)) {
        measure("Recovery " + recovery.meta().key(), status);
      }
    }
    for (FaultObject fault : world.faults().all()) {
      measure("NodeFault " + fault.meta().name(), fault.state());
    }
    world.orders().all().forEach(o -> measure("RestartOrder " + o.meta().key(), o.spec()));
    world.restarts().all().forEach(r -> measure("RestartReport " + r.meta().key(), r.spec()));
    world.policies().all().forEach(p -> measure("scorecard of " + p.meta().name(), p.card()));
    for (NodeObject node : world.nodes().all()) {
      annotations(
          "node " + node.meta().name(),
          node.fencedBy(),
          node.incidents(),
          node.fencedFor(),
          node.stalls());
    }
    for (JobObject job : world.jobs().all()) {
      JobObject.Template t = job.template();
      annotations(
          "job " + job.key(),
          job.suspendedMark(),
          job.marksOf(),
          t.attempt(),
          t.resumeFrom(),
          String.join(",", t.excluded()),
          String.join(",", t.avoided()),
          String.join(",", t.planned()));
    }
  }

  /**
   * Whether some phases began since it was last measured. A status changes several times in each,
   * by little, and its JSON was a twentieth of the time of all seeds; the last one of each recovery
   * is measured by {@link #saved}.
   */
  private boolean grown(RecoveryObject recovery, RecoveryStatus status) {
    int entries = status.timeline().size();
    if (entries - timelines.getOrDefault(recovery.meta().key(), 0) < FEW_ENTRIES) {
      return false;
    }
    timelines.put(recovery.meta().key(), entries);
    return true;
  }

  private void annotations(String name, String... values) {
    int length = 0;
    for (String value : values) {
      length += value.length();
    }
    if (length > ANNOTATIONS) {
      broken("the annotations of %s have %d bytes".formatted(name, length));
    }
  }

  /** In the JSON that is stored. Most are as they were at the last look. */
  private void measure(String name, Object stored) {
    if (stored.equals(measured.put(name, stored))) {
      return;
    }
    try {
      int bytes = JSON.writeValueAsString(stored).getBytes(StandardCharsets.UTF_8).length;
      if (bytes > BYTES) {
        broken("%s has %d bytes".formatted(name, bytes));
      }
    } catch (JsonProcessingException odd) {
      throw new IllegalStateException(odd);
    }
  }
}
