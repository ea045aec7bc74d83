package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.Given.rank;
import static dev.rekindle.controller.Given.ranks;
import static dev.rekindle.controller.diagnosis.JobSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.JobSnapshots.decide;
import static dev.rekindle.controller.diagnosis.JobSnapshots.reason;
import static dev.rekindle.controller.diagnosis.JobSnapshots.silent;
import static dev.rekindle.controller.diagnosis.JobSnapshots.snapshot;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Nodes that fell silent or were deleted under a job. */
class LostNodesTest {
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
}
