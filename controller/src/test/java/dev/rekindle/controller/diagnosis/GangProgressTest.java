package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.diagnosis.JobSnapshots.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
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
}
