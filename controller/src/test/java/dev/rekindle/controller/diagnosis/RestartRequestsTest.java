package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.asking;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.Given.ranks;
import static dev.rekindle.controller.Given.recovery;
import static dev.rekindle.controller.Given.restarted;
import static dev.rekindle.controller.diagnosis.JobSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.JobSnapshots.XID_79;
import static dev.rekindle.controller.diagnosis.JobSnapshots.decide;
import static dev.rekindle.controller.diagnosis.JobSnapshots.reason;
import static dev.rekindle.controller.diagnosis.JobSnapshots.snapshot;
import static dev.rekindle.controller.diagnosis.JobSnapshots.stepping;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Restarts that scripts request. */
class RestartRequestsTest {
  @Test
  void shouldRestartTheGangWhenAScriptRequestsIt() {
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
}
