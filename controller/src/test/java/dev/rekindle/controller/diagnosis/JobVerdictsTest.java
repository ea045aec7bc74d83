package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.asking;
import static dev.rekindle.controller.Given.failed;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.Given.rank;
import static dev.rekindle.controller.Given.ranks;
import static dev.rekindle.controller.Given.recovery;
import static dev.rekindle.controller.Given.restarted;
import static dev.rekindle.controller.Given.unplaced;
import static dev.rekindle.controller.Given.unstartable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.api.RecoveryStatus.TimelineEntry;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.detect.node.PodDevices;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

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
            XID_79));
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
        argumentSet(
            "managed by Kueue", job().notOurs("Kueue admits it"), Reason.MANAGED_EXTERNALLY));
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

  @Test
  void shouldGiveTheOperatorsWordWhereTheFailedPodIsNotSeenYet() {
    Given.Job job = job().restart(RestartPolicy.NEVER).failed(NOW, "1 Worker replica(s) failed");

    Verdict behind = decide(job, gang("a"), List.of(), stepping(gang("a")));
    assertThat(((Verdict.Recover) behind).cause().evidence())
        .containsExactly(new Evidence("", "", "1 Worker replica(s) failed"));

    List<PodView> pods = with(gang("a"), 1, failed(gang("a").get(1), NOW, "exit code 1"));
    assertThat(((Verdict.Recover) decide(job, pods, List.of(), stepping(pods))).cause().evidence())
        .containsExactly(
            new Evidence("node-1", "demo-worker-0", "exit code 1"),
            new Evidence("", "", "1 Worker replica(s) failed"));
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
    Instant late = stepped.plus(Policy.DEFAULT.kubeletRestart());
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
            watch ->
                assertThat(watch.until()).isEqualTo(stepped.plus(Policy.DEFAULT.kubeletRestart())));
  }

  @Test
  void shouldTellOnceThatTheKubeletsBroughtTheGangBack() {
    Instant ended = NOW.minusSeconds(20);
    Instant trains = NOW.minusSeconds(9);
    List<PodView> pods = gang("a").stream().map(p -> restarted(p, ended)).toList();
    List<RankView> ranks = ranks(pods, 43L, trains, NOW);
    RecoveryView told =
        recovery(
            "demo-r1",
            ended,
            new RecoveryStatus(
                RecoveryPhase.RECOVERED, NOW, 1, null, null, null, null, List.of(), List.of()));

    assertThat(decide(job(), pods, List.of(), ranks))
        .isInstanceOfSatisfying(
            Verdict.SelfRecovered.class,
            back -> {
              assertThat(back.ended()).isEqualTo(ended);
              assertThat(back.trains()).isEqualTo(trains);
              assertThat(back.cause().reason()).isEqualTo("ContainerEnded");
            });
    JobSnapshot after =
        new JobSnapshot(job().view(), pods, nodes(), List.of(), ranks, List.of(told));
    assertThat(JobVerdicts.decide(after, Policy.DEFAULT, NOW.plusSeconds(1)))
        .isInstanceOf(Verdict.Watch.class);
  }

  @ParameterizedTest
  @ValueSource(longs = {-3_600, -1_000, 0, 3_600})
  void shouldTellOnceThatTheGangCameBackWhateverTheOwnClockSays(long ahead) {
    Instant ended = NOW.minusSeconds(20);
    Instant trains = NOW.minusSeconds(9);
    Instant now = NOW.plusSeconds(ahead);
    List<PodView> pods = gang("a").stream().map(p -> restarted(p, ended)).toList();
    RecoveryStatus told =
        new RecoveryStatus(
                RecoveryPhase.RECOVERED, now, 1, null, null, null, null, List.of(), List.of())
            .withComeBacks(new RecoveryStatus.ComeBacks(1, trains, trains));
    JobSnapshot after =
        new JobSnapshot(
            job().view(),
            pods,
            nodes(),
            List.of(),
            ranks(pods, 43L, trains, NOW),
            List.of(recovery("demo-r1", ended, told)));

    assertThat(JobVerdicts.decide(after, Policy.DEFAULT, now))
        .isNotInstanceOf(Verdict.SelfRecovered.class);
  }

  static Stream<Arguments> notWorthTelling() {
    Instant ended = NOW.minusSeconds(20);
    List<PodView> back = gang("a").stream().map(p -> restarted(p, ended)).toList();
    List<RankView> anew = ranks(back, 43L, NOW.minusSeconds(9), NOW);
    RankView first = anew.getFirst();
    List<RankView> neverStopped =
        List.of(
            first.with(b -> b.restartCount(0).firstStepTime(T0).lastStepTime(NOW.minusSeconds(1))));
    return Stream.of(
        argumentSet("a container beside the trainer ended", job(), back, neverStopped),
        argumentSet("it is only watched", job().optIn(new OptIn.Yes(Mode.OBSERVE)), back, anew),
        argumentSet("somebody else restarts it", job().notOurs("Kueue"), back, anew),
        argumentSet("it is not whole again", job(), back.subList(0, 2), anew));
  }

  @ParameterizedTest
  @MethodSource("notWorthTelling")
  void shouldNotTellOfAComebackThatWasNone(
      Given.Job job, List<PodView> pods, List<RankView> ranks) {
    assertThat(decide(job, pods, List.of(), ranks)).isNotInstanceOf(Verdict.SelfRecovered.class);
  }

  @Test
  void shouldStartNothingForAnEndThatARecoveryHasAnswered() {
    List<PodView> pods = with(gang("a"), 0, restarted(gang("a").get(0), T0.plusSeconds(20)));
    RecoveryView since =
        recovery(
            "demo-r1",
            T0,
            new RecoveryStatus(
                RecoveryPhase.RECOVERED,
                T0.plusSeconds(90),
                1,
                null,
                null,
                null,
                null,
                List.of(),
                List.of()));
    JobSnapshot s = with(pods, List.of(), since);
    Instant late = T0.plus(Policy.DEFAULT.kubeletRestart());

    assertThat(JobVerdicts.decide(s, Policy.DEFAULT, late)).isInstanceOf(Verdict.NoAction.class);
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
  void shouldNotCallAStallWhatALaggingViewHasNotLookedAtForLongEnough() {
    Instant stepped = NOW.minusSeconds(25);
    Instant looked = NOW.minusSeconds(24);

    assertThat(
            decide(stallsAfter(20), gang("a"), List.of(), ranks(gang("a"), 42L, stepped, looked)))
        .isInstanceOf(Verdict.Watch.class);
  }

  @Test
  void shouldWaitOnceMoreForARestartedContainerWhenReportsLag() {
    Instant stepped = T0.plusSeconds(10);
    List<PodView> pods = with(gang("a"), 0, restarted(gang("a").get(0), T0.plusSeconds(20)));
    List<RankView> old = ranks(pods, 42L, stepped, T0.plusSeconds(15));
    Instant due = stepped.plus(Policy.DEFAULT.kubeletRestart());
    Instant last = due.plus(Policy.DEFAULT.kubeletRestart());

    assertThat(
            JobVerdicts.decide(snapshot(job(), pods, List.of(), old, nodes()), Policy.DEFAULT, due))
        .isEqualTo(new Verdict.Watch("containers ended; the kubelet restarts them", last));
    assertThat(
            reason(
                JobVerdicts.decide(
                    snapshot(job(), pods, List.of(), old, nodes()), Policy.DEFAULT, last)))
        .isEqualTo("ContainerEnded");
  }

  @Test
  void shouldGiveASilentNodeTheTimeOfAStallWhereOnlyItsOwnRankPrintsSteps() {
    List<PodView> pods = gang("a");
    Map<String, NodeView> nodes = new HashMap<>(nodes());
    nodes.put("node-1", node("node-1", Readiness.SILENT, T0, false, ""));
    Instant stepped = T0;
    Instant enough = stepped.plus(Policy.DEFAULT.stall());
    List<RankView> ranks =
        List.of(
            rank(pods.get(0), null, null, enough),
            rank(pods.get(1), 42L, stepped, stepped),
            rank(pods.get(2), null, null, enough));

    Instant soon = stepped.plus(Policy.DEFAULT.silentNode()).plusSeconds(1);
    List<RankView> early =
        List.of(
            rank(pods.get(0), null, null, soon),
            rank(pods.get(1), 42L, stepped, stepped),
            rank(pods.get(2), null, null, soon));
    assertThat(
            JobVerdicts.decide(
                snapshot(job(), pods, List.of(), early, nodes), Policy.DEFAULT, soon))
        .isInstanceOf(Verdict.Watch.class);
    assertThat(
            reason(
                JobVerdicts.decide(
                    snapshot(job(), pods, List.of(), ranks, nodes), Policy.DEFAULT, enough)))
        .isEqualTo("NodeSilent");
  }

  @Test
  void shouldCallAStallWhatNeverBeganOnlyWhereStepsWereSeenBefore() {
    List<PodView> pods = gang("a");
    Instant late = T0.plus(Policy.DEFAULT.start());
    List<RankView> none = ranks(pods, null, null, late);
    RecoveryView printed =
        recovery(
            "demo-r1",
            T0.minusSeconds(7_200),
            over(new Cause("XID-79", "", List.of(), List.of(), List.of(), List.of(), 42L)));
    RecoveryView silent =
        recovery(
            "demo-r1",
            T0.minusSeconds(7_200),
            over(new Cause("PodFailed", "", List.of(), List.of(), List.of(), List.of(), null)));

    assertThat(reason(JobVerdicts.decide(with(pods, none, printed), Policy.DEFAULT, late)))
        .isEqualTo("Stalled");
    assertThat(JobVerdicts.decide(with(pods, none, printed), Policy.DEFAULT, late.minusSeconds(1)))
        .isEqualTo(new Verdict.Watch("has made no step yet", late));
    assertThat(JobVerdicts.decide(with(pods, none, silent), Policy.DEFAULT, late))
        .isInstanceOf(Verdict.NoAction.class);

    JobSnapshot onSilent = with(pods, none, printed);
    onSilent =
        new JobSnapshot(
            onSilent.job(), pods, silent("node-1"), List.of(), none, onSilent.recoveries());
    assertThat(reason(JobVerdicts.decide(onSilent, Policy.DEFAULT, late))).isEqualTo("NodeSilent");
  }

  @Test
  void shouldRestartTheGangWhenAScriptAsksForIt() {
    List<RankView> ranks = new ArrayList<>(stepping(gang("a")));
    ranks.set(1, asking(ranks.get(1), "loss spike", 40L, NOW.minusSeconds(1)));
    ranks.set(2, asking(ranks.get(2), "loss spike", 30L, NOW.minusSeconds(2)));

    Verdict verdict = decide(job(), gang("a"), List.of(), ranks);

    assertThat(reason(verdict)).isEqualTo("RestartAsked");
    Cause cause = ((Verdict.Recover) verdict).cause();
    assertThat(cause.message())
        .isEqualTo(
            "pod demo-worker-1 on node node-2: the script asks for a restart from before step 30:"
                + " loss spike");
    assertThat(cause.evidence()).hasSize(2);
    assertThat(cause.beforeStep()).as("far enough back for all").isEqualTo(30);
    assertThat(cause.faultyNodes()).isEmpty();
    assertThat(cause.suspectPods()).containsExactly("demo-worker-1", "demo-worker-0");
  }

  @Test
  void shouldGoBackAsAskedWhateverTheRecoveryIsFor() {
    List<RankView> ranks = new ArrayList<>(stepping(gang("a")));
    ranks.set(0, asking(ranks.get(0), "loss spike", 30L, NOW));

    Verdict verdict = decide(job(), gang("a"), List.of(XID_79), ranks);

    assertThat(reason(verdict)).isEqualTo("XID-79");
    assertThat(((Verdict.Recover) verdict).cause().beforeStep()).isEqualTo(30);
  }

  static Stream<Arguments> answered() {
    Instant asked = NOW.minusSeconds(50);
    List<PodView> gang = gang("a");
    Cause cause = new Cause("XID-79", "", List.of(), List.of(), List.of(), List.of(), 42L);
    RecoveryView resumed = resumedAt(cause, asked.plusSeconds(4));
    List<PodView> anew = gang.stream().map(p -> restarted(p, asked.plusSeconds(5))).toList();
    return Stream.of(
        argumentSet("by a recovery that started the gang anew", gang, asked, List.of(resumed)),
        argumentSet(
            "by one that ended without",
            gang,
            asked,
            List.of(recovery("demo-r1", asked, over(cause, asked.plusSeconds(9))))),
        argumentSet("the container that asked has ended since", anew, asked, List.of()),
        argumentSet("too long ago", gang, NOW.minusSeconds(301), List.of()),
        argumentSet("by a pod of another generation", gang("b"), asked, List.of()));
  }

  @ParameterizedTest
  @MethodSource("answered")
  void shouldStartNothingForARequestThatIsNoLongerOne(
      List<PodView> pods, Instant at, List<RecoveryView> recoveries) {
    List<RankView> ranks = new ArrayList<>(stepping(gang("a")));
    ranks.set(1, asking(ranks.get(1), "loss spike", 30L, at));
    JobSnapshot snapshot =
        new JobSnapshot(job().view(), pods, nodes(), List.of(XID_79), ranks, recoveries);

    Verdict verdict = JobVerdicts.decide(snapshot, Policy.DEFAULT, NOW);

    // There is a fault as well, so that it is seen that nothing goes back.
    assertThat(reason(verdict)).isEqualTo("XID-79");
    assertThat(((Verdict.Recover) verdict).cause().beforeStep()).isNull();
  }

  @Test
  void shouldServeARequestThatCameAfterTheLastRecovery() {
    Cause cause = new Cause("XID-79", "", List.of(), List.of(), List.of(), List.of(), 42L);
    List<RankView> ranks = new ArrayList<>(stepping(gang("a")));
    ranks.set(1, asking(ranks.get(1), "loss spike", null, NOW.minusSeconds(3)));
    RecoveryView before = resumedAt(cause, NOW.minusSeconds(9));

    Verdict verdict =
        JobVerdicts.decide(
            new JobSnapshot(job().view(), gang("a"), nodes(), List.of(), ranks, List.of(before)),
            Policy.DEFAULT,
            NOW);

    assertThat(reason(verdict)).isEqualTo("RestartAsked");
    assertThat(((Verdict.Recover) verdict).cause().beforeStep()).isNull();
  }

  /** A recovery that has started the gang at that moment and is over by now. */
  private static RecoveryView resumedAt(Cause cause, Instant at) {
    return recovery(
        "demo-r1",
        at.minusSeconds(9),
        new RecoveryStatus(
            RecoveryPhase.RECOVERED,
            NOW,
            1,
            null,
            cause,
            null,
            null,
            List.of(new TimelineEntry(RecoveryPhase.RESUMING, at, "")),
            List.of()));
  }

  private static RecoveryStatus over(Cause cause, Instant at) {
    return new RecoveryStatus(
        RecoveryPhase.CANCELLED, at, 1, null, cause, null, null, List.of(), List.of());
  }

  private static RecoveryStatus over(Cause cause) {
    return new RecoveryStatus(
        RecoveryPhase.FAILED, T0, 1, null, cause, null, null, List.of(), List.of());
  }

  private static JobSnapshot with(List<PodView> pods, List<RankView> ranks, RecoveryView recovery) {
    JobSnapshot s = snapshot(job(), pods, List.of(), ranks, nodes());
    return new JobSnapshot(s.job(), pods, s.nodes(), s.faults(), ranks, List.of(recovery));
  }

  @Test
  void shouldNotCallAStallWhereNoStepWasEverSeen() {
    List<PodView> pods = gang("a");

    assertThat(decide(stallsAfter(20), pods, List.of(), ranks(pods, null, null, NOW)))
        .isInstanceOf(Verdict.NoAction.class);
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

  static Stream<Arguments> goneNodes() {
    List<PodView> pods = gang("a");
    return Stream.of(
        argumentSet("trains on", ranks(pods, 42L, NOW.minusSeconds(1), NOW), Verdict.Watch.class),
        argumentSet("stands", ranks(pods, 42L, NOW.minusSeconds(40), NOW), Verdict.Recover.class),
        argumentSet("no agent reports", ranks(pods, 42L, T0, T0), Verdict.Watch.class),
        argumentSet("no step was ever seen", List.<RankView>of(), Verdict.NoAction.class));
  }

  @ParameterizedTest
  @MethodSource("goneNodes")
  void shouldRecoverFromADeletedNodeOnlyWhenStepsStand(
      List<RankView> ranks, Class<? extends Verdict> expected) {
    Map<String, NodeView> nodes = new HashMap<>(nodes());
    nodes.remove("node-1");

    Verdict verdict = decide(job(), gang("a"), List.of(), ranks, nodes);

    assertThat(verdict).isInstanceOf(expected);
    if (verdict instanceof Verdict.Recover recover) {
      assertThat(reason(recover)).isEqualTo("NodeGone");
    }
  }

  @Test
  void shouldRecoverAGangWhoseStepsWereNeverSeenOnceItFailsWithTheDeletedNode() {
    Map<String, NodeView> nodes = new HashMap<>(nodes());
    nodes.remove("node-1");
    List<PodView> pods = new ArrayList<>(gang("a"));
    pods.set(2, Given.restarted(pods.get(2), T0.plusSeconds(60)));
    Instant later = NOW.plus(Policy.DEFAULT.kubeletRestart());

    Verdict verdict =
        JobVerdicts.decide(
            new JobSnapshot(job().view(), pods, nodes, List.of(), List.of(), List.of()),
            Policy.DEFAULT,
            later);

    assertThat(verdict).isInstanceOf(Verdict.Recover.class);
    assertThat(reason((Verdict.Recover) verdict)).isEqualTo("ContainerEnded");
  }

  static Stream<Arguments> failedJobs() {
    Given.Job plain = job().failed(T0, "1 Worker replica(s) failed");
    return Stream.of(
        argumentSet("in time", plain, 600, List.of(), Verdict.Recover.class),
        argumentSet("too long ago", plain, 601, List.of(), Verdict.Refuse.class),
        argumentSet("a day later", plain, 601 + 86_400, List.of(), Verdict.NoAction.class),
        argumentSet(
            "a recovery was at it since, by a clock that may be set right",
            plain,
            601,
            List.of(drained("demo-r1", T0, 1)),
            Verdict.Watch.class),
        argumentSet(
            "a recovery was at it by a clock that was ahead, maybe before it failed",
            plain,
            601,
            List.of(drained("demo-r1", T0, 1, T0.plusSeconds(1_350))),
            Verdict.Refuse.class),
        argumentSet(
            "a recovery was at it since, a day ago",
            plain,
            601 + 86_400,
            List.of(drained("demo-r1", T0, 1)),
            Verdict.NoAction.class),
        argumentSet(
            "to be observed only",
            job().failed(T0, "").optIn(new OptIn.Yes(Mode.OBSERVE)),
            601,
            List.of(),
            Verdict.NoAction.class),
        argumentSet(
            "not ours",
            job().failed(T0, "").notOurs("Kueue owns the job."),
            601,
            List.of(),
            Verdict.NoAction.class));
  }

  @ParameterizedTest
  @MethodSource("failedJobs")
  void shouldTellThatAJobFailedTooLongAgo(
      Given.Job job,
      int seconds,
      List<RecoveryView> recoveries,
      Class<? extends Verdict> expected) {
    JobSnapshot s =
        new JobSnapshot(job.view(), List.of(), nodes(), List.of(), List.of(), recoveries);

    Verdict verdict = JobVerdicts.decide(s, Policy.DEFAULT, T0.plusSeconds(seconds));

    assertThat(verdict).isInstanceOf(expected);
    if (verdict instanceof Verdict.Refuse(Reason reason, String message)) {
      assertThat(reason).isEqualTo(Reason.REVIVAL_EXPIRED);
      assertThat(message).contains("601 s ago", "600 s", "1 Worker replica(s) failed");
    }
  }

  static Stream<Arguments> homeless() {
    Instant due = T0.plus(Policy.DEFAULT.start());
    List<PodView> pods = with(gang("demo-r1-1"), 2, unplaced(gang("demo-r1-1").get(2)));
    Given.Job ours = job().attempt("demo-r1-1");
    return Stream.of(
        argumentSet("too long", ours, pods, due, Verdict.Recover.class),
        argumentSet("not long yet", ours, pods, due.minusSeconds(1), Verdict.Watch.class),
        argumentSet("never resumed by us", job(), pods, due, Verdict.NoAction.class),
        argumentSet("all placed", ours, gang("demo-r1-1"), due, Verdict.NoAction.class),
        argumentSet(
            "to be observed only",
            job().attempt("demo-r1-1").optIn(new OptIn.Yes(Mode.OBSERVE)),
            pods,
            due,
            Verdict.Refuse.class));
  }

  @ParameterizedTest
  @MethodSource("homeless")
  void shouldPlanAnewForAGangThatFindsNoPlace(
      Given.Job job, List<PodView> pods, Instant now, Class<? extends Verdict> verdict) {
    assertThat(unplacedAt(job, pods, nodes(), now)).isInstanceOf(verdict);
  }

  @Test
  void shouldBlameNobodyForAGangThatFindsNoPlace() {
    List<PodView> pods = with(gang("demo-r1-1"), 2, unplaced(gang("demo-r1-1").get(2)));
    Verdict verdict =
        unplacedAt(job().attempt("demo-r1-1"), pods, nodes(), T0.plus(Policy.DEFAULT.start()));

    assertThat(reason(verdict)).isEqualTo("Unplaced");
    Cause cause = ((Verdict.Recover) verdict).cause();
    assertThat(cause.message())
        .isEqualTo("1 of 3 pods found no place within 1800 s: 0/4 nodes are available");
    assertThat(cause.suspectPods()).containsExactly("demo-worker-1");
    assertThat(cause.faultyNodes()).isEmpty();
    assertThat(cause.silentNodes()).isEmpty();
  }

  @Test
  void shouldPlanAnewForAGangThatFindsNoPlaceThoughANodeOfItIsSilent() {
    List<PodView> pods = with(gang("demo-r1-1"), 2, unplaced(gang("demo-r1-1").get(2)));

    assertThat(
            reason(
                unplacedAt(
                    job().attempt("demo-r1-1"),
                    pods,
                    silent("node-1"),
                    T0.plus(Policy.DEFAULT.start()))))
        .isEqualTo("Unplaced");
  }

  private static Verdict unplacedAt(
      Given.Job job, List<PodView> pods, Map<String, NodeView> nodes, Instant now) {
    return JobVerdicts.decide(
        snapshot(job, pods, List.of(), List.of(), nodes), Policy.DEFAULT, now);
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

    assertThat(Restarts.since(recoveries, T0)).isEqualTo(3);
  }

  static Stream<Arguments> timelines() {
    return Stream.of(
        argumentSet("begun before", 0, 1, List.of(at(RecoveryPhase.DRAINING, -1))),
        argumentSet("begun within", 1, 1, List.of(at(RecoveryPhase.DRAINING, 0))),
        argumentSet(
            "detected before, then held for a person",
            1,
            1,
            List.of(
                at(RecoveryPhase.DETECTED, -9),
                at(RecoveryPhase.HELD, -9),
                at(RecoveryPhase.DRAINING, 1))),
        argumentSet(
            "drained before, resumed within",
            1,
            1,
            List.of(
                at(RecoveryPhase.DRAINING, -9),
                at(RecoveryPhase.HELD, -8),
                at(RecoveryPhase.RESUMING, 1),
                at(RecoveryPhase.VERIFYING, 2))),
        argumentSet(
            "first attempt before, second within",
            1,
            2,
            List.of(
                at(RecoveryPhase.DRAINING, -9),
                at(RecoveryPhase.VERIFYING, -8),
                at(RecoveryPhase.DRAINING, 1))),
        argumentSet(
            "one attempt, another fault on the way",
            1,
            1,
            List.of(
                at(RecoveryPhase.DRAINING, 1),
                at(RecoveryPhase.FENCING, 2),
                at(RecoveryPhase.DRAINING, 3))),
        argumentSet(
            "attempts that a long timeline has lost", 7, 7, List.of(at(RecoveryPhase.DRAINING, 1))),
        argumentSet("never suspended", 0, 1, List.of(at(RecoveryPhase.FENCING, 1))));
  }

  @ParameterizedTest
  @MethodSource("timelines")
  void shouldCountARestartWhenItHappened(int count, int attempts, List<TimelineEntry> timeline) {
    RecoveryStatus status =
        new RecoveryStatus(
            RecoveryPhase.FAILED, T0, attempts, null, null, null, null, timeline, List.of());
    RecoveryView recovery = Given.recovery("demo-r1", T0.minusSeconds(10), status);

    assertThat(Restarts.since(List.of(recovery), T0)).isEqualTo(count);
  }

  @Test
  void shouldPassOverTheFaultOfAGpuThatIsAnotherJobs() {
    FaultView theirs =
        fault("node-1", "XID-79", FenceGuidance.ALWAYS)
            .with(b -> b.component("GPU GPU-22222222-aaaa-bbbb-cccc-000000000002").evidence(""));
    List<PodView> unknown = gang("a");
    List<PodView> known = new ArrayList<>(unknown);
    known.set(
        1,
        known
            .get(1)
            .withDevices(
                new PodDevices(
                    true, Set.of("GPU-11111111-aaaa-bbbb-cccc-000000000001"), List.of())));

    assertThat(decide(job(), known, List.of(theirs), stepping(known)))
        .isInstanceOf(Verdict.Watch.class);
    assertThat(decide(job(), unknown, List.of(theirs), stepping(unknown)))
        .isInstanceOf(Verdict.Recover.class);
  }

  private static TimelineEntry at(RecoveryPhase phase, int seconds) {
    return new TimelineEntry(phase, T0.plusSeconds(seconds), "");
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
  void shouldNotTakeAJobForAnOrphanWhoseRecoveryHasJustSeenItRun() {
    RecoveryView over = recovery("demo-r1", T0, recoveredAt(NOW.minusSeconds(1)));
    JobSnapshot seen =
        snapshot(job().suspended("demo-r1", true), List.of(), List.of(), List.of(), nodes());
    JobSnapshot s =
        new JobSnapshot(seen.job(), List.of(), seen.nodes(), List.of(), List.of(), List.of(over));

    assertThat(JobVerdicts.decide(s, Policy.DEFAULT, NOW)).isInstanceOf(Verdict.Watch.class);
    assertThat(reason(JobVerdicts.decide(s, Policy.DEFAULT, NOW.plusSeconds(60))))
        .isEqualTo("Orphaned");
  }

  private static RecoveryStatus recoveredAt(Instant at) {
    return new RecoveryStatus(
        RecoveryPhase.RECOVERED, at, 1, null, null, null, null, List.of(), List.of());
  }

  @Test
  void shouldLetGoOfAJobThatOptedOutWhileItsRecoveryWasDeleted() {
    Given.Job out = job().optIn(new OptIn.No()).suspended("demo-r1", true);

    assertThat(reason(decide(out, List.of(), List.of(), List.of()))).isEqualTo("Orphaned");
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
    return drained(name, detected, attempts, T0);
  }

  private static RecoveryView drained(String name, Instant detected, int attempts, Instant ended) {
    RecoveryStatus status =
        new RecoveryStatus(
            RecoveryPhase.RECOVERED,
            ended,
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
    return f.with(b -> b.active(false).clearedBy("driver"));
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
