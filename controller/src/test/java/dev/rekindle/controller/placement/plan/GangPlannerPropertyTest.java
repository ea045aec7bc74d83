package dev.rekindle.controller.placement.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.placement.plan.GangPlan.Move;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** On random trees, against a search that tries everything. */
class GangPlannerPropertyTest {
  private static final int TREES = 10_000;

  /** The most pods that move at once in these trees. */
  private static final int MOST = 8;

  @Test
  void shouldBeAsGoodAsTheBestOfAllPlans() {
    for (long seed = 0; seed < TREES; seed++) {
      RandomTree tree = RandomTree.of(seed, MOST);

      assertThat(value(plan(tree))).as("seed %d", seed).isEqualTo(BruteForce.best(tree));
    }
  }

  @Test
  void shouldMoveEachVacatedSeatToAFreeNodeOfItsOwn() {
    for (long seed = 0; seed < TREES; seed++) {
      RandomTree tree = RandomTree.of(seed, MOST);
      GangPlan plan = plan(tree);
      Set<String> taken = new HashSet<>();

      assertThat(plan.moves())
          .as("seed %d", seed)
          .map(Move::pod)
          .isEqualTo(tree.vacated().stream().map(Seat::pod).toList());
      for (Move move : plan.moves()) {
        assertThat(taken.add(move.to())).as("seed %d takes it once", seed).isTrue();
        assertThat(tree.free()).map(Candidate::node).contains(move.to());
        assertThat(move.hops()).isEqualTo(tree.fabric().distance(move.from(), move.to()));
      }
    }
  }

  @Test
  void shouldNotDependOnTheOrderOfTheCandidates() {
    for (long seed = 0; seed < TREES; seed++) {
      RandomTree tree = RandomTree.of(seed, MOST);
      List<Candidate> shuffled = new ArrayList<>(tree.free());
      Collections.shuffle(shuffled, new Random(seed));

      assertThat(GangPlanner.plan(tree.fabric(), tree.gang(), shuffled))
          .as("seed %d", seed)
          .contains(plan(tree));
    }
  }

  @Test
  void shouldNeverGoFartherForOneMoreFreeNode() {
    for (long seed = 0; seed < TREES; seed++) {
      RandomTree tree = RandomTree.of(seed, MOST);
      if (tree.free().size() > tree.vacated().size()) {
        List<Candidate> fewer = tree.free().subList(0, tree.free().size() - 1);
        GangPlan with = plan(tree);
        GangPlan without = GangPlanner.plan(tree.fabric(), tree.gang(), fewer).orElseThrow();

        assertThat(with.mostHops()).as("seed %d", seed).isLessThanOrEqualTo(without.mostHops());
        assertThat(with.sumHops()).as("seed %d", seed).isLessThanOrEqualTo(without.sumHops());
      }
    }
  }

  private static GangPlan plan(RandomTree tree) {
    return GangPlanner.plan(tree.fabric(), tree.gang(), tree.free()).orElseThrow();
  }

  /** The lower the better, in this order. */
  private static int[] value(GangPlan plan) {
    return new int[] {
      plan.mostHops(), plan.sumHops(), plan.leafGroups(), plan.crossings(), -plan.largestFreeBlock()
    };
  }
}
