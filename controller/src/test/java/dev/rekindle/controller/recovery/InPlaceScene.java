package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.recovery.InPlacePods.replacement;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.JobRef;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.RollBack;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RestartView;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.controller.network.ClusterNetworks;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A gang of three on node-0 (rank 0), node-1 and node-2, a GPU of node-1 off the bus, node-1 fenced
 * for it, and how far the agents are. Each call changes this one.
 */
final class InPlaceScene {
  private final List<SpareView> spares = new ArrayList<>();
  static final Instant NOW = T0.plusSeconds(10);
  static final String ME = "demo-r2";
  static final String ORDER = ME + "-1";
  private static final String ORDER_UID = "order-uid";

  private JobView job = Given.job().view();
  private List<PodView> pods = gang("");
  private final Map<String, NodeView> nodes = new HashMap<>(Given.nodes());

  InPlaceScene() {
    nodes.put("node-1", Given.node("node-1", NodeView.Readiness.READY, T0, true, "team/" + ME));
  }

  private List<String> silent = List.of();
  private List<FaultView> faults = List.of(fault("node-1", "XID-79", FenceGuidance.ALWAYS));
  private final Set<String> unheard = new HashSet<>();
  private int attempt = 1;
  private RecoveryPhase phase = RecoveryPhase.DRAINING;
  private Instant since = NOW.minusSeconds(1);
  private @Nullable RestartWay restart = RestartWay.IN_PLACE;
  private @Nullable PinnedCheckpoint pin;
  private @Nullable RestartInstruction ordered;
  private final Map<String, RestartView> reports = new HashMap<>();
  private Inspection inspection = new Inspection.Pending("scans");
  private List<RankView> ranks = List.of();
  private @Nullable Long before;
  private String reason = "XID-79";
  private @Nullable Boolean collects;
  private List<RollBack> rollBacks = List.of();
  private @Nullable String planned = "node-3";
  private List<String> written = List.of("node-3.host");
  private Failures failures = Failures.NONE;
  private Instant stepped = NOW.minusSeconds(3);

  /** The replacement is to go to that node; to none where none was planned. */
  InPlaceScene planned(@Nullable String node) {
    planned = node;
    return this;
  }

  /** When a step was last seen. */
  InPlaceScene stepped(Instant at) {
    stepped = at;
    return this;
  }

  /** The templates take new pods to those hosts. */
  InPlaceScene written(String... hostnames) {
    written = List.of(hostnames);
    return this;
  }

  /** The API server has not carried that out. */
  InPlaceScene failed(EffectFailure failure) {
    failures = new Failures(Map.of(failure.kind(), failure));
    return this;
  }

  InPlaceScene job(Given.Job value) {
    job = value.view();
    return this;
  }

  InPlaceScene pods(List<PodView> value) {
    pods = value;
    return this;
  }

  InPlaceScene node(NodeView value) {
    nodes.put(value.name(), value);
    return this;
  }

  /** The recovery knows already that they do not answer. */
  InPlaceScene knownSilent(String... names) {
    silent = List.of(names);
    return this;
  }

  InPlaceScene faulty(FaultView... value) {
    faults = List.of(value);
    return this;
  }

  InPlaceScene unheard(String node) {
    unheard.add(node);
    return this;
  }

  InPlaceScene attempt(int value) {
    attempt = value;
    return this;
  }

  InPlaceScene phase(RecoveryPhase value, Instant entered) {
    phase = value;
    since = entered;
    return this;
  }

  InPlaceScene notChosen() {
    restart = null;
    return this;
  }

  InPlaceScene rebuilt() {
    restart = RestartWay.REBUILD;
    return this;
  }

  InPlaceScene pinned(long step) {
    pin =
        new PinnedCheckpoint(
            CheckpointVerdict.VALID,
            "/ckpt/step-" + step + ".pt",
            step,
            "L3",
            "newest of 3",
            null,
            "torch-save");
    return this;
  }

  InPlaceScene scanned(Inspection.Checkpoint... newestFirst) {
    inspection = new Inspection.Report(2, List.of(newestFirst), "");
    return this;
  }

  InPlaceScene ordered(RestartInstruction value) {
    ordered = value;
    return this;
  }

  /** The agent of the pod's node says so. */
  InPlaceScene reported(int pod, RestartInstruction done, State state) {
    return reported(gang("").get(pod), done, state, "");
  }

  /** What the agent has frozen, or found dead, is a container that was restarted so often. */
  InPlaceScene reportedRestarts(int pod, int restarts, State state) {
    return reported(gang("").get(pod), RestartInstruction.FREEZE, state, "", restarts);
  }

  /** The watch is behind: it shows no report of the agent of the pod's node. */
  InPlaceScene unreported(int pod) {
    reports.remove(gang("").get(pod).node());
    return this;
  }

  InPlaceScene problem(int pod, String problem) {
    return reported(gang("").get(pod), null, State.FROZEN, problem);
  }

  private InPlaceScene reported(
      PodView pod, @Nullable RestartInstruction done, State state, String problem) {
    return reported(pod, done, state, problem, 0);
  }

  private InPlaceScene reported(
      PodView pod, @Nullable RestartInstruction done, State state, String problem, int restarts) {
    RestartReportSpec spec =
        new RestartReportSpec(
            ORDER,
            ORDER_UID,
            pod.node(),
            "demo",
            done,
            problem,
            List.of(
                new PodRestart(
                    pod.name(), pod.uid(), "c0ffee" + pod.index(), restarts, "cgroup-v1", state)),
            NOW);
    reports.put(pod.node(), new RestartView("team", ORDER + "." + pod.node(), spec));
    return this;
  }

  /** The agent of that node says so of the pod, wherever the pod is. */
  InPlaceScene forged(String node, int pod, RestartInstruction done, State state) {
    PodView about = gang("").get(pod);
    RestartView honest = reports.get(node);
    List<PodRestart> all = new ArrayList<>(honest == null ? List.of() : honest.spec().pods());
    all.add(new PodRestart(about.name(), about.uid(), "forged", 0, "cgroup-v2", state));
    RestartReportSpec spec =
        new RestartReportSpec(ORDER, ORDER_UID, node, "demo", done, "", all, NOW);
    reports.put(node, new RestartView("team", ORDER + "." + node, spec));
    return this;
  }

  /** All runs on sound nodes, and steps stand. */
  InPlaceScene stalled() {
    reason = Cause.STALLED;
    faults = List.of();
    nodes.put("node-1", Given.node("node-1"));
    return this;
  }

  /** The order says that agents inspect the ranks first. */
  InPlaceScene collects() {
    collects = true;
    return this;
  }

  /** The agent of the pod's node has frozen it, and has found its rank doing this. */
  InPlaceScene found(int pod, RankEvidence evidence) {
    reported(pod, RestartInstruction.FREEZE, State.FROZEN);
    String node = gang("").get(pod).node();
    reports.computeIfPresent(
        node,
        (_, view) ->
            new RestartView(
                view.namespace(),
                view.name(),
                new RestartReportSpec(
                    ORDER,
                    ORDER_UID,
                    node,
                    "demo",
                    RestartInstruction.FREEZE,
                    "",
                    view.spec().pods(),
                    NOW,
                    List.of(evidence))));
    return this;
  }

  /** The agent of the pod's node has no room for its ranks in the report. */
  InPlaceScene leftOut(int pod, @Nullable Integer ranks) {
    reported(pod, RestartInstruction.FREEZE, State.FROZEN);
    String node = gang("").get(pod).node();
    reports.computeIfPresent(
        node,
        (_, view) ->
            new RestartView(
                view.namespace(),
                view.name(),
                new RestartReportSpec(
                    ORDER,
                    ORDER_UID,
                    node,
                    "demo",
                    RestartInstruction.FREEZE,
                    "",
                    view.spec().pods(),
                    NOW,
                    List.of(),
                    ranks)));
    return this;
  }

  /** The agent of a node says that the order cannot be carried out. */
  InPlaceScene problemOf(String node, String problem) {
    RestartReportSpec spec =
        new RestartReportSpec(ORDER, ORDER_UID, node, "demo", null, problem, List.of(), NOW);
    reports.put(node, new RestartView("team", ORDER + "." + node, spec));
    return this;
  }

  /** Everything frozen, confirmed, and the pod on node-1 replaced by one on node-3. */
  InPlaceScene frozenAndReplaced() {
    return ordered(RestartInstruction.FREEZE)
        .reported(0, RestartInstruction.FREEZE, State.FROZEN)
        .reported(1, RestartInstruction.FREEZE, State.FROZEN)
        .reported(2, RestartInstruction.FREEZE, State.FROZEN)
        .pods(List.of(gang("").get(0), replacement("node-3"), gang("").get(2)));
  }

  /** The script has asked to continue from before that step. */
  InPlaceScene before(long value) {
    before = value;
    return this;
  }

  InPlaceScene rollBack(RollBack value) {
    rollBacks = List.of(value);
    return this;
  }

  InPlaceScene ranks(List<RankView> value) {
    ranks = value;
    return this;
  }

  RecoverySnapshot snapshot() {
    Cause cause =
        new Cause(
            reason,
            "XID-79 on GPU 0000:3b:00 of node node-1",
            List.of(),
            faults.stream().map(FaultView::node).toList(),
            silent,
            List.of(),
            42L,
            before,
            null);
    PlacementPlan placement =
        planned == null || restart != RestartWay.IN_PLACE
            ? null
            : new PlacementPlan(
                List.of(),
                List.of(new PlacementPlan.Replacement("demo-worker-0", "node-1", planned, 0)),
                0,
                0,
                1,
                List.of(),
                0);
    Plan plan =
        new Plan(restart, "", List.of(), List.of("node-0", "node-2"), Map.of(), pin)
            .withPlacement(placement);
    RecoveryStatus status =
        new RecoveryStatus(phase, since, attempt, null, cause, plan, null, List.of(), List.of());
    List<RankView> heard = new ArrayList<>(ranks);
    if (heard.isEmpty()) {
      pods.stream()
          .filter(p -> !unheard.contains(p.node()))
          .forEach(p -> heard.add(Given.rank(p, 42L, stepped, NOW)));
    }
    OrderView order =
        ordered == null
            ? null
            : new OrderView(
                "team",
                ORDER,
                ORDER_UID,
                T0.plusSeconds(5),
                new RestartOrderSpec(
                    JobRef.pyTorchJob("demo", job.uid()),
                    ME,
                    ordered,
                    "",
                    NOW.plusSeconds(60),
                    NOW.minusSeconds(9),
                    collects,
                    60));
    return new RecoverySnapshot(
            Given.recovery(ME, T0, status),
            restart == RestartWay.IN_PLACE ? job.withPlannedNodes(written) : job,
            pods,
            nodes,
            faults,
            heard,
            order,
            List.copyOf(reports.values()),
            Map.of(),
            Map.of(),
            1,
            43L,
            false,
            true,
            inspection,
            rollBacks,
            0L,
            false,
            List.of(),
            Failures.NONE,
            List.of(),
            null,
            ClusterNetworks.NONE,
            new TrackerView.Absent(),
            List.of(),
            Map.of())
        .withFailures(failures)
        .withSpares(spares);
  }

  /** A warm spare of the job on a node. */
  InPlaceScene spare(int slot, String node) {
    return spare(slot, node, false);
  }

  /** A spare of the job on a node that has been removed and has not ended. */
  InPlaceScene endingSpare(int slot, String node) {
    return spare(slot, node, true);
  }

  private InPlaceScene spare(int slot, String node, boolean terminating) {
    spares.add(
        new SpareView(
            job.key(),
            "demo-spare-" + slot,
            slot,
            "spare-uid-" + slot,
            job.uid(),
            "t",
            node,
            PodView.Phase.RUNNING,
            terminating,
            8,
            Amounts.NONE,
            T0));
    return this;
  }

  Decision decide() {
    return decide(NOW);
  }

  Decision decide(Instant now) {
    return RecoveryMachine.decide(snapshot(), Policy.DEFAULT, now);
  }

  /** The one effect decided, of that type. */
  <T extends Effect> T effect(Class<T> type) {
    Decision.Act act = (Decision.Act) decide();
    return act.effects().stream()
        .filter(type::isInstance)
        .map(type::cast)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + type.getSimpleName() + " in " + act));
  }
}
