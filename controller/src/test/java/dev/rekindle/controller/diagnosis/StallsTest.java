package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.Given.rank;
import static dev.rekindle.controller.Given.ranks;
import static dev.rekindle.controller.Given.recovery;
import static dev.rekindle.controller.diagnosis.JobSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.JobSnapshots.decide;
import static dev.rekindle.controller.diagnosis.JobSnapshots.reason;
import static dev.rekindle.controller.diagnosis.JobSnapshots.silent;
import static dev.rekindle.controller.diagnosis.JobSnapshots.snapshot;
import static dev.rekindle.controller.diagnosis.JobSnapshots.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Steps that stand, and whose word it is. */
class StallsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** The gang stood still until its containers were restarted. */
  private static final List<RankView> BEFORE =
      ranks(gang(""), 30L, NOW.minusSeconds(60), NOW.minusSeconds(20));

  private static Verdict stalled(List<PodView> pods, List<RankView> ranks) {
    JobSnapshot snapshot =
        new JobSnapshot(
            job().stallTimeout(TIMEOUT).view(), pods, nodes(), List.of(), ranks, List.of());
    return Stalls.stalled(snapshot, Policy.DEFAULT, NOW).orElseThrow();
  }

  private static List<PodView> gangRestarted() {
    return gang("").stream().map(p -> p.withRestarts(1)).toList();
  }

  @Test
  void shouldRecoverAGangWhoseStepsStand() {
    assertThat(stalled(gang(""), BEFORE)).isInstanceOf(Verdict.Recover.class);
  }

  @Test
  void shouldNotTakeWhatStoodBeforeARestartForAStallAfterIt() {
    assertThat(stalled(gangRestarted(), BEFORE))
        .isEqualTo(
            new Verdict.Watch(
                "no agent reports: nothing shows that training has stopped", NOW.plus(TIMEOUT)));
  }

  @Test
  void shouldTakeTheWordOfOneWhoHasSeenTheContainersThatRunNow() {
    List<PodView> pods = gangRestarted();
    List<RankView> ranks = new ArrayList<>(BEFORE);
    ranks.set(1, rank(pods.get(1), 30L, NOW.minusSeconds(31), NOW));

    assertThat(stalled(pods, ranks)).isInstanceOf(Verdict.Recover.class);
  }

  @Test
  void shouldRecoverAndFenceNoNodeWhenStepsStand() {
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
  void shouldNotCallAStallWhatALaggingViewHasNotInspectedForLongEnough() {
    Instant stepped = NOW.minusSeconds(25);
    Instant looked = NOW.minusSeconds(24);

    assertThat(
            decide(stallsAfter(20), gang("a"), List.of(), ranks(gang("a"), 42L, stepped, looked)))
        .isInstanceOf(Verdict.Watch.class);
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

    List<PodView> replaced = with(pods, 1, pods.get(1).withCreated(late.minusSeconds(100)));
    assertThat(JobVerdicts.decide(with(replaced, none, printed), Policy.DEFAULT, late))
        .as("from its youngest pod on")
        .isEqualTo(
            new Verdict.Watch(
                "has made no step yet", late.minusSeconds(100).plus(Policy.DEFAULT.start())));

    JobSnapshot onSilent = with(pods, none, printed);
    onSilent =
        new JobSnapshot(
            onSilent.job(), pods, silent("node-1"), List.of(), none, onSilent.recoveries());
    assertThat(reason(JobVerdicts.decide(onSilent, Policy.DEFAULT, late))).isEqualTo("NodeSilent");
  }

  /** A gang that no agent has polled since is not known to make no steps. */
  @Test
  void shouldNotCallAStallWhatNoAgentHasInspectedSinceItShouldHaveBegun() {
    List<PodView> pods = gang("a");
    Instant due = T0.plus(Policy.DEFAULT.start());
    Instant late = due.plusSeconds(600);
    RecoveryView printed =
        recovery(
            "demo-r1",
            T0.minusSeconds(7_200),
            over(new Cause("XID-79", "", List.of(), List.of(), List.of(), List.of(), 42L)));
    List<RankView> before = ranks(pods, null, null, due.minusMillis(1));
    List<RankView> since = new ArrayList<>(before);
    since.set(1, rank(pods.get(1), null, null, due));

    for (List<RankView> unseen : List.of(before, List.<RankView>of())) {
      assertThat(JobVerdicts.decide(with(pods, unseen, printed), Policy.DEFAULT, late))
          .isEqualTo(
              new Verdict.Watch("has made no step yet", late.plus(Policy.DEFAULT.silentNode())));
    }
    assertThat(reason(JobVerdicts.decide(with(pods, since, printed), Policy.DEFAULT, late)))
        .isEqualTo("Stalled");
  }

  private static RecoveryStatus over(Cause cause) {
    return new RecoveryStatus(
        RecoveryPhase.FAILED, T0, 1, null, cause, null, null, List.of(), List.of());
  }

  @Test
  void shouldNotCallAStallWhereNoStepWasEverSeen() {
    List<PodView> pods = gang("a");

    assertThat(decide(stallsAfter(20), pods, List.of(), ranks(pods, null, null, NOW)))
        .isInstanceOf(Verdict.NoAction.class);
  }

  private static Given.Job stallsAfter(int seconds) {
    return job().stallTimeout(Duration.ofSeconds(seconds));
  }
}
