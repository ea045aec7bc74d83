package dev.rekindle.controller.verdict;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.failed;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.Given.rank;
import static dev.rekindle.controller.Given.ranks;
import static dev.rekindle.controller.Given.restarted;
import static dev.rekindle.controller.Given.unstartable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.TimelineEntry;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.cluster.FaultView;
import dev.rekindle.controller.cluster.JobView;
import dev.rekindle.controller.cluster.JobView.Mode;
import dev.rekindle.controller.cluster.JobView.OptIn;
import dev.rekindle.controller.cluster.JobView.RestartPolicy;
import dev.rekindle.controller.cluster.NodeView;
import dev.rekindle.controller.cluster.NodeView.Readiness;
import dev.rekindle.controller.cluster.PodView;
import dev.rekindle.controller.cluster.Policy;
import dev.rekindle.controller.cluster.RankView;
import dev.rekindle.controller.cluster.RecoveryView;
import dev.rekindle.controller.journal.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class JobVerdictsTest {
  private static final Instant NOW = T0.plusSeconds(100);
  private static final FaultView XID_79 = fault("node-1", "XID-79", FenceGuidance.ALWAYS);

  @Test
  void shouldLeaveAJobThatTrains() {
    assertThat(decide(job(), gang("a"), List.of(), stepping(gang("a"))))
        .isInstanceOf(Verdict.Watch.class);
  }

  @Test
  void shouldRecoverAndNameTheNodeWhenAFaultFences() {
    Verdict verdict = decide(job(), gang("a"), List.of(XID_79), stepping(gang("a")));

    assertThat(verdict).isInstanceOf(Verdict.Recover.class);
    Cause cause = ((Verdict.Recover) verdict).cause();
    assertThat(cause.reason()).isEqualTo("XID-79");
    assertThat(cause.faultyNodes()).containsExactly("node-1");
    assertThat(cause.suspectPods()).containsExactly("demo-worker-0");
    assertThat(cause.evidence()).singleElement().asString().contains("fallen off the bus");
    assertThat(cause.lastStep()).isEqualTo(42);
  }

  static Stream<Arguments> leftAlone() {
    List<PodView> gang = gang("a");
    return Stream.of(
        argumentSet("not opted in", job().optIn(new OptIn.No()), gang, XID_79),
        argumentSet("suspended by its user", job().suspended("", true), gang, XID_79),
        argumentSet("succeeded", job().succeeded(T0), gang, XID_79),
        argumentSet(
            "fault that does not fence",
            job(),
            gang,
            fault("node-1", "XID-13", FenceGuidance.THRESHOLD)),
        argumentSet(
            "fault of a node without its pods",
            job(),
            gang,
            fault("node-3", "XID-79", FenceGuidance.ALWAYS)),
        argumentSet("cleared fault", job(), gang, cleared(XID_79)),
        argumentSet(
            "failed by its backoff limit",
            job()
                .failed(
                    NOW, "Job demo has failed because it has reached the specified backoff limit"),
            gang,
            XID_79),
        argumentSet(
            "failed long ago",
            job().failed(NOW.minusSeconds(601), "1 Worker replica(s) failed"),
            gang,
            fault("node-3", "XID-79", FenceGuidance.ALWAYS)));
  }

  @ParameterizedTest
  @MethodSource("leftAlone")
  void shouldNotRecover(Given.Job job, List<PodView> pods, FaultView fault) {
    assertThat(decide(job, pods, List.of(fault), stepping(pods)))
        .isNotInstanceOf(Verdict.Recover.class)
        .isNotInstanceOf(Verdict.Refuse.class);
  }

  static Stream<Arguments> refused() {
    return Stream.of(
        argumentSet(
            "nonsense in an annotation",
            job().optIn(new OptIn.Unusable("recover=\"maybe\"")),
            Reason.INVALID_ANNOTATION),
        argumentSet("observe mode", job().optIn(new OptIn.Yes(Mode.OBSERVE)), Reason.WOULD_RECOVER),
        argumentSet("managed by Kueue", job().notOurs("Kueue admits it"), Reason.NOT_OURS));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void shouldRefuseAndSayWhy(Given.Job job, Reason reason) {
    assertThat(decide(job, gang("a"), List.of(XID_79), stepping(gang("a"))))
        .isInstanceOfSatisfying(
            Verdict.Refuse.class,
            refusal -> {
              assertThat(refusal.reason()).isEqualTo(reason);
              assertThat(refusal.message()).isNotBlank();
            });
  }

  @ParameterizedTest
  @EnumSource(
      value = RestartPolicy.class,
      names = {"NEVER", "EXIT_CODE"})
  void shouldRecoverAtOnceWhenAPodEndedForGood(RestartPolicy policy) {
    List<PodView> pods = with(gang("a"), 1, failed(gang("a").get(1), NOW, "exit code 137"));

    Verdict verdict = decide(job().restart(policy), pods, List.of(), stepping(pods));

    assertThat(reason(verdict)).isEqualTo("PodFailed");
    assertThat(((Verdict.Recover) verdict).cause().faultyNodes()).isEmpty();
  }

  @Test
  void shouldRecoverAJobThatTheOperatorHasFailed() {
    List<PodView> pods = with(gang("a"), 1, failed(gang("a").get(1), NOW, "exit code 1"));
    Given.Job job = job().restart(RestartPolicy.NEVER).failed(NOW, "1 Worker replica(s) failed");

    assertThat(reason(decide(job, pods, List.of(), stepping(pods)))).isEqualTo("JobFailed");
  }

  @ParameterizedTest
  @EnumSource(
      value = RestartPolicy.class,
      names = {"ON_FAILURE", "ALWAYS"})
  void shouldLeaveARestartToTheKubeletUntilItsTimeIsOver(RestartPolicy policy) {
    Instant stepped = T0.plusSeconds(50);
    List<PodView> pods = gang("a").stream().map(p -> restarted(p, stepped.plusSeconds(1))).toList();
    List<RankView> ranks = ranks(pods, 42L, stepped, NOW);
    Given.Job job = job().restart(policy);

    assertThat(decide(job, pods, List.of(), ranks)).isInstanceOf(Verdict.Watch.class);
    Instant late = stepped.plus(Policy.DEFAULT.inPlace());
    assertThat(
            reason(
                JobVerdicts.decide(
                    snapshot(job, pods, List.of(), ranks(pods, 42L, stepped, late), nodes()),
                    Policy.DEFAULT,
                    late)))
        .isEqualTo("ContainerEnded");
  }

  @Test
  void shouldTakeAnEndInTheSecondOfTheLastStepForTheLaterOne() {
    // Kubernetes cut 12:00:50.7 to 12:00:50; the last step was printed at 50.6.
    Instant stepped = T0.plusMillis(50_600);
    List<PodView> pods = with(gang("a"), 0, restarted(gang("a").get(0), T0.plusSeconds(50)));

    assertThat(decide(job(), pods, List.of(), ranks(pods, 42L, stepped, NOW)))
        .isInstanceOfSatisfying(
            Verdict.Watch.class,
            watch -> assertThat(watch.until()).isEqualTo(stepped.plus(Policy.DEFAULT.inPlace())));
  }

  @Test
  void shouldRecoverAndFenceNobodyWhenStepsStand() {
    Instant stepped = NOW.minusSeconds(20);
    List<PodView> pods = gang("a");
    List<RankView> ranks = new ArrayList<>(ranks(pods, 42L, stepped, NOW));
    ranks.set(2, rank(pods.get(2), 41L, stepped.minusSeconds(1), NOW));

    Verdict verdict = decide(stallsAfter(20), pods, List.of(), ranks);

    assertThat(reason(verdict)).isEqualTo("Stalled");
    Cause cause = ((Verdict.Recover) verdict).cause();
    assertThat(cause.faultyNodes()).isEmpty();
    assertThat(cause.silentNodes()).isEmpty();
    assertThat(cause.suspectPods()).containsExactly("demo-worker-1");
  }

  @Test
  void shouldNotCallAStallWhatNoAgentWitnesses() {
    Instant stepped = NOW.minusSeconds(90);
    List<PodView> pods = gang("a");

    assertThat(decide(stallsAfter(20), pods, List.of(), ranks(pods, 42L, stepped, stepped)))
        .isInstanceOf(Verdict.Watch.class);
  }

  @Test
  void shouldNotCallAStallWhereNoStepWasEverSeen() {
    List<PodView> pods = gang("a");

    assertThat(decide(stallsAfter(20), pods, List.of(), ranks(pods, null, null, NOW)))
        .isInstanceOf(Verdict.Leave.class);
  }

  @Test
  void shouldRestartWithoutASilentNodeOnlyWhenStepsStand() {
    List<PodView> pods = gang("a");
    Map<String, NodeView> nodes = silent("node-1");

    Verdict trains =
        decide(job(), pods, List.of(), ranks(pods, 42L, NOW.minusSeconds(1), NOW), nodes);
    Verdict stands =
        decide(job(), pods, List.of(), ranks(pods, 42L, NOW.minusSeconds(40), NOW), nodes);

    assertThat(trains).isInstanceOf(Verdict.Watch.class);
    assertThat(reason(stands)).isEqualTo("NodeSilent");
    assertThat(((Verdict.Recover) stands).cause().silentNodes()).containsExactly("node-1");
    assertThat(((Verdict.Recover) stands).cause().faultyNodes()).isEmpty();
  }

  @Test
  void shouldNotTakeTheSilentNodesOwnAgentForAWitness() {
    List<PodView> pods = gang("a");
    Instant stepped = NOW.minusSeconds(60);
    List<RankView> ranks =
        List.of(
            rank(pods.get(0), 42L, stepped, stepped),
            rank(pods.get(1), 42L, stepped, NOW),
            rank(pods.get(2), 42L, stepped, stepped));

    assertThat(decide(job(), pods, List.of(), ranks, silent("node-1")))
        .isInstanceOf(Verdict.Watch.class);
  }

  @Test
  void shouldRecoverWhenANodeNoLongerExists() {
    Map<String, NodeView> nodes = new HashMap<>(nodes());
    nodes.remove("node-1");

    assertThat(reason(decide(job(), gang("a"), List.of(), stepping(gang("a")), nodes)))
        .isEqualTo("NodeGone");
  }

  @Test
  void shouldSayThatNoRestartMendsAnImage() {
    List<PodView> pods = with(gang("a"), 1, unstartable(gang("a").get(1)));

    assertThat(decide(job(), pods, List.of(), List.of()))
        .isInstanceOfSatisfying(
            Verdict.Refuse.class, r -> assertThat(r.reason()).isEqualTo(Reason.POD_CANNOT_START));
  }

  @Test
  void shouldRefuseOnceTheBudgetIsSpentAndRecoverAgainWhenItsWindowHasPassed() {
    List<RecoveryView> spent =
        IntStream.rangeClosed(1, 5).mapToObj(i -> drained("demo-r" + i, NOW, 1)).toList();
    JobSnapshot s =
        new JobSnapshot(
            job().view(), gang("a"), nodes(), List.of(XID_79), stepping(gang("a")), spent);

    assertThat(JobVerdicts.decide(s, Policy.DEFAULT, NOW.plusSeconds(3600)))
        .isInstanceOfSatisfying(
            Verdict.Refuse.class, r -> assertThat(r.reason()).isEqualTo(Reason.BUDGET_EXHAUSTED));
    assertThat(reason(JobVerdicts.decide(s, Policy.DEFAULT, NOW.plusSeconds(3601))))
        .isEqualTo("XID-79");
  }

  @Test
  void shouldCountEveryAttemptAndNoRecoveryThatNeverSuspendedTheJob() {
    RecoveryStatus untouched =
        new RecoveryStatus(
            RecoveryPhase.CANCELLED, T0, 1, null, null, null, null, List.of(), List.of());
    List<RecoveryView> recoveries =
        List.of(drained("demo-r1", NOW, 3), Given.recovery("demo-r2", NOW, untouched));

    assertThat(JobVerdicts.restartsSince(recoveries, T0)).isEqualTo(3);
  }

  @Test
  void shouldTakeOverAJobWhoseRecoveryWasDeletedEvenWithNoBudgetLeft() {
    List<RecoveryView> spent =
        IntStream.rangeClosed(1, 5).mapToObj(i -> drained("demo-r" + i, NOW, 1)).toList();
    JobSnapshot s =
        new JobSnapshot(
            job().suspended("demo-r6", true).view(),
            List.of(),
            nodes(),
            List.of(),
            List.of(),
            spent);

    assertThat(reason(JobVerdicts.decide(s, Policy.DEFAULT, NOW))).isEqualTo("Orphaned");
  }

  @Test
  void shouldNeverFenceOnAnythingButAHardwareWitness() {
    List<PodView> pods = gang("a");
    Instant old = NOW.minusSeconds(2000);
    List<Verdict> without =
        List.of(
            decide(job(), pods, List.of(), ranks(pods, 42L, old, NOW)),
            decide(job(), pods, List.of(), ranks(pods, 42L, old, NOW), silent("node-1")),
            decide(
                job().restart(RestartPolicy.NEVER),
                with(pods, 1, failed(pods.get(1), NOW, "exit code 1")),
                List.of(),
                stepping(pods)));

    assertThat(without)
        .allSatisfy(v -> assertThat(((Verdict.Recover) v).cause().faultyNodes()).isEmpty());
  }

  private static Given.Job stallsAfter(int seconds) {
    return job().stallTimeout(Duration.ofSeconds(seconds));
  }

  private static RecoveryView drained(String name, Instant detected, int attempts) {
    RecoveryStatus status =
        new RecoveryStatus(
            RecoveryPhase.RECOVERED,
            T0,
            attempts,
            null,
            null,
            null,
            null,
            List.of(new TimelineEntry(RecoveryPhase.DRAINING, detected, "")),
            List.of());
    return Given.recovery(name, detected, status);
  }

  private static Map<String, NodeView> silent(String name) {
    Map<String, NodeView> nodes = new HashMap<>(nodes());
    nodes.put(name, node(name, Readiness.SILENT, NOW.minusSeconds(20), false, ""));
    return nodes;
  }

  private static FaultView cleared(FaultView f) {
    return new FaultView(
        f.name(),
        f.node(),
        f.component(),
        f.code(),
        f.fence(),
        false,
        f.count(),
        f.lastSeen(),
        f.evidence());
  }

  private static List<RankView> stepping(List<PodView> pods) {
    return ranks(pods, 42L, NOW.minusMillis(100), NOW);
  }

  private static List<PodView> with(List<PodView> pods, int index, PodView pod) {
    List<PodView> changed = new ArrayList<>(pods);
    changed.set(index, pod);
    return changed;
  }

  private static String reason(Verdict verdict) {
    assertThat(verdict).isInstanceOf(Verdict.Recover.class);
    return ((Verdict.Recover) verdict).cause().reason();
  }

  private static Verdict decide(
      Given.Job job, List<PodView> pods, List<FaultView> faults, List<RankView> ranks) {
    return decide(job, pods, faults, ranks, nodes());
  }

  private static Verdict decide(
      Given.Job job,
      List<PodView> pods,
      List<FaultView> faults,
      List<RankView> ranks,
      Map<String, NodeView> nodes) {
    return JobVerdicts.decide(snapshot(job, pods, faults, ranks, nodes), Policy.DEFAULT, NOW);
  }

  private static JobSnapshot snapshot(
      Given.Job job,
      List<PodView> pods,
      List<FaultView> faults,
      List<RankView> ranks,
      Map<String, NodeView> nodes) {
    JobView view = job.view();
    return new JobSnapshot(view, pods, nodes, faults, ranks, List.of());
  }
}
