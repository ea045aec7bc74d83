package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.Given.rank;
import static dev.rekindle.controller.Given.ranks;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Steps that stand, and whose word it is. */
class StallsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Instant NOW = T0.plusSeconds(100);

  /** The gang stood still until its containers were restarted. */
  private static final List<RankView> BEFORE =
      ranks(gang(""), 30L, NOW.minusSeconds(60), NOW.minusSeconds(20));

  private static Verdict decide(List<PodView> pods, List<RankView> ranks) {
    JobSnapshot snapshot =
        new JobSnapshot(
            job().stallTimeout(TIMEOUT).view(), pods, nodes(), List.of(), ranks, List.of());
    return Stalls.stalled(snapshot, Policy.DEFAULT, NOW).orElseThrow();
  }

  private static List<PodView> restarted() {
    return gang("").stream().map(p -> p.withRestarts(1)).toList();
  }

  @Test
  void shouldRecoverAGangWhoseStepsStand() {
    assertThat(decide(gang(""), BEFORE)).isInstanceOf(Verdict.Recover.class);
  }

  @Test
  void shouldNotTakeWhatStoodBeforeARestartForAStallAfterIt() {
    assertThat(decide(restarted(), BEFORE))
        .isEqualTo(
            new Verdict.Watch(
                "no agent reports: no witness that training stands", NOW.plus(TIMEOUT)));
  }

  @Test
  void shouldTakeTheWordOfOneWhoHasSeenTheContainersThatRunNow() {
    List<PodView> pods = restarted();
    List<RankView> ranks = new ArrayList<>(BEFORE);
    ranks.set(1, rank(pods.get(1), 30L, NOW.minusSeconds(31), NOW));

    assertThat(decide(pods, ranks)).isInstanceOf(Verdict.Recover.class);
  }
}
