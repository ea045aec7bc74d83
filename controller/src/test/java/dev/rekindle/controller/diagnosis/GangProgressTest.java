package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.diagnosis.JobSnapshots.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RankReportStatus.Pace;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How far a gang has come, by reports that do not agree. */
class GangProgressTest {
  private static final List<PodView> PODS = gang("a");
  private static final Instant LONG_AGO = NOW.minusSeconds(600);
  private static final Instant JUST_NOW = NOW.minusSeconds(3);

  private static GangProgress progress(Instant... steps) {
    List<RankView> ranks =
        Stream.iterate(0, i -> i + 1)
            .limit(steps.length)
            .flatMap(i -> Given.ranks(PODS.subList(i, i + 1), 42L, steps[i], NOW).stream())
            .toList();
    return GangProgress.of(PODS, ranks);
  }

  /** The log of a rank may be read no more, and where one rank moves all do. */
  @Test
  void shouldBelieveTheRankThatWasSeenToMoveLast() {
    assertThat(progress(LONG_AGO, JUST_NOW).standingOutside(List.of(), NOW))
        .contains(Duration.ofSeconds(3));
    assertThat(progress(JUST_NOW, LONG_AGO).standingOutside(List.of(), NOW))
        .contains(Duration.ofSeconds(3));
  }

  @Test
  void shouldAskNoRankOfTheNodesThatAreLeftOut() {
    GangProgress progress = progress(LONG_AGO, JUST_NOW);

    assertThat(progress.standingOutside(List.of(PODS.get(1).node()), NOW))
        .contains(Duration.ofMinutes(10));
    assertThat(progress.standingOutside(PODS.stream().map(PodView::node).toList(), NOW)).isEmpty();
  }

  /** A step takes a second, and the rank prints each of them. */
  private static RankView rank(int pod, long last, Instant lastTime, @Nullable Loss loss) {
    RankView rank = Given.rank(PODS.get(pod), last, lastTime, NOW);
    long stood = Duration.between(lastTime, NOW).toSeconds();
    return rank.with(
        b ->
            b.firstStepTime(lastTime.minusSeconds(last - 1))
                .pace(new Pace(100, 100, 1_000, 2_000, last, stood, false))
                .loss(loss));
  }

  /** Seed 94704914: the lines of one rank went unread, and the agent of the other was away. */
  @Test
  void shouldNotTakeARankForAWitnessWhoseStepsStoodWhileOthersWereMade() {
    RankView away = rank(0, 183, NOW.minusSeconds(40), null).withObservedTime(NOW.minusSeconds(35));
    RankView unread = rank(1, 69, NOW.minusSeconds(150), null);

    assertThat(GangProgress.of(PODS, List.of(away, unread)).standingOutside(List.of(), NOW))
        .isEmpty();
  }

  /** Seed 95287601: the number of tokens, say, was taken for a step once. */
  @Test
  void shouldNotTakeARankForUnreadThatMovesWhileTheOneAheadStands() {
    RankView ahead =
        rank(0, 1_000_800, NOW.minusSeconds(44), null).withFirstStepTime(NOW.minusSeconds(97));
    RankView moves = rank(1, 97, NOW.minusSeconds(1), null);

    assertThat(GangProgress.of(PODS, List.of(ahead, moves)).standingOutside(List.of(), NOW))
        .contains(Duration.ofSeconds(1));
  }

  @Test
  void shouldTakeARankForAWitnessThatIsAFewStepsBehind() {
    RankView away = rank(0, 183, NOW.minusSeconds(40), null).withObservedTime(NOW.minusSeconds(35));
    RankView behind = rank(1, 172, NOW.minusSeconds(50), null);

    assertThat(GangProgress.of(PODS, List.of(away, behind)).standingOutside(List.of(), NOW))
        .contains(Duration.ofSeconds(50));
  }

  @Test
  void shouldTakeARankForAWitnessThatPrintsSeldom() {
    RankView away = rank(0, 183, NOW.minusSeconds(40), null).withObservedTime(NOW.minusSeconds(35));
    RankView seldom =
        rank(1, 100, NOW.minusSeconds(123), null)
            .withPace(new Pace(100, 100, 50_000, 50_000, 100, 123, false));

    assertThat(GangProgress.of(PODS, List.of(away, seldom)).standingOutside(List.of(), NOW))
        .contains(Duration.ofSeconds(123));
  }

  /** What a report says is written by a node that may be stolen. */
  @Test
  void shouldCountWithStepsAndTimesOfAnySize() {
    RankView large =
        rank(0, 2, NOW, null)
            .with(b -> b.firstStep(0L).firstStepTime(Instant.MIN).lastStep(Long.MAX_VALUE));

    assertThat(
            GangProgress.of(PODS, List.of(large, rank(1, 2, NOW.minusSeconds(5), null)))
                .standingOutside(List.of(), NOW))
        .contains(Duration.ZERO);
  }

  @Test
  void shouldTakeTheLossForANumberWhereOneRankAlonePrintsNone() {
    RankView own = rank(0, 258, JUST_NOW, new Loss(null, 78));
    RankView other = rank(1, 200, NOW.minusSeconds(10), new Loss(2.0, 0));

    assertThat(GangProgress.of(PODS, List.of(own, other)).loss()).isEqualTo(new Loss(2.0, 0));
    assertThat(GangProgress.of(PODS, List.of(own, other)).lossesDiffer()).isTrue();
  }

  @Test
  void shouldTakeTheLossForNoneWhereOthersPrintedOneOnlyBefore() {
    RankView now = rank(0, 258, JUST_NOW, new Loss(null, 58));
    RankView before = rank(1, 200, NOW.minusSeconds(10), new Loss(2.0, 0));

    assertThat(GangProgress.of(PODS, List.of(now, before)).loss()).isEqualTo(new Loss(null, 58));
    assertThat(GangProgress.of(PODS, List.of(now, before)).lossesDiffer()).isFalse();
  }

  @Test
  void shouldTakeTheLossForNoneWhereOthersPrintedOneBeforeTheyWereRestarted() {
    RankView now = rank(0, 258, JUST_NOW, new Loss(null, 78)).withFirstStepTime(LONG_AGO);
    RankView before = rank(1, 200, LONG_AGO.minusSeconds(60), new Loss(2.0, 0));

    assertThat(GangProgress.of(PODS, List.of(now, before)).loss()).isEqualTo(new Loss(null, 78));
  }
}
