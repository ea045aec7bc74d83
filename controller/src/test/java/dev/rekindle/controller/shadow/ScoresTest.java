package dev.rekindle.controller.shadow;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Scorecard;
import dev.rekindle.api.Scorecard.Entry;
import dev.rekindle.api.Scorecard.Tally;
import dev.rekindle.api.ShadowAction;
import dev.rekindle.api.ShadowVerdict;
import dev.rekindle.controller.shadow.Scores.Outcome;
import java.time.Instant;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

class ScoresTest {
  @Test
  void shouldCountAnEntryOnceWhileItIsOpen() {
    Scorecard card = Scores.would(Scorecard.NONE, fence("n-1", T0));

    assertThat(Scores.would(card, fence("n-1", T0.plusSeconds(60)))).isEqualTo(card);
    assertThat(Scores.would(card, fence("n-2", T0)).fences()).isEqualTo(new Tally(2, 0, 0, 0));
    assertThat(Scores.would(card, restart("n-1", T0)).restarts()).isEqualTo(new Tally(1, 0, 0, 0));
  }

  @Test
  void shouldJudgeOnceAndLetTheSameHappenAgain() {
    Entry entry = fence("n-1", T0);
    Scorecard card = Scores.would(Scorecard.NONE, entry);
    Scorecard judged =
        Scores.judge(card, entry, new Outcome(ShadowVerdict.RIGHT, "it died"), T0.plusSeconds(9));

    assertThat(judged.fences()).isEqualTo(new Tally(1, 1, 0, 0));
    assertThat(judged.recent().getFirst().then()).isEqualTo("it died");
    assertThat(Scores.judge(judged, entry, new Outcome(ShadowVerdict.WRONG, "no"), T0))
        .isEqualTo(judged);
    assertThat(Scores.would(judged, fence("n-1", T0.plusSeconds(3_600))).fences())
        .isEqualTo(new Tally(2, 1, 0, 0));
  }

  /** A job that trains on beside a fault is judged within seconds. */
  @Test
  void shouldCountTheSameReasonOnceInAnHourHoweverOftenItIsJudged() {
    Entry entry = restart("team/demo", T0);
    Scorecard judged =
        Scores.judge(
            Scores.would(Scorecard.NONE, entry),
            entry,
            new Outcome(ShadowVerdict.WRONG, "it came to step 9 without us"),
            T0.plusSeconds(5));

    for (int second = 5; second < 3_600; second += 5) {
      assertThat(Scores.would(judged, restart("team/demo", T0.plusSeconds(second))))
          .isEqualTo(judged);
    }
    assertThat(Scores.would(judged, restart("team/demo", T0.plusSeconds(3_600))).restarts())
        .isEqualTo(new Tally(2, 0, 1, 0));
  }

  /** Over what comes by chance: the tallies add up, and the list stays small. */
  @Test
  void shouldAlwaysAddUp() {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(1);
    Scorecard card = Scorecard.NONE;
    for (int i = 0; i < 5_000; i++) {
      Instant now = T0.plusSeconds(i);
      if (random.nextInt(3) > 0 || card.recent().isEmpty()) {
        String subject = "n-" + random.nextInt(60);
        card =
            Scores.would(card, random.nextBoolean() ? fence(subject, now) : restart(subject, now));
      } else {
        Entry entry = card.recent().get(random.nextInt(card.recent().size()));
        ShadowVerdict verdict =
            random.nextBoolean()
                ? ShadowVerdict.RIGHT
                : random.nextBoolean() ? ShadowVerdict.WRONG : ShadowVerdict.UNKNOWN;
        card = Scores.judge(card, entry, new Outcome(verdict, ""), now);
      }
      long open = card.recent().stream().filter(Entry::open).count();
      Tally f = card.fences();
      Tally r = card.restarts();
      assertThat(f.right() + f.wrong() + f.unknown() + r.right() + r.wrong() + r.unknown() + open)
          .isEqualTo(f.would() + r.would());
      assertThat(card.recent()).hasSizeLessThanOrEqualTo(Scores.MOST);
    }
  }

  /** A policy is for jobs of all namespaces: a thousand of one are no reason to trust it or not. */
  @Test
  void shouldNeitherLoseEntriesOfOthersNorCountOnForJobsOfOneNamespace() {
    Scorecard card = Scores.would(Scorecard.NONE, fence("n-1", T0));
    card = Scores.would(card, restart("team/demo", T0));
    Entry last = restart("other/job-999", T0.plusSeconds(999));
    for (int i = 0; i < 1_000; i++) {
      Entry entry = restart("other/job-" + i, T0.plusSeconds(i));
      Scorecard next = Scores.would(card, entry);
      if (!next.equals(card)) {
        card = Scores.judge(next, entry, new Outcome(ShadowVerdict.WRONG, "it came to step 9"), T0);
      }
    }
    assertThat(Scores.open(card, ShadowAction.FENCE, "n-1")).hasSize(1);
    assertThat(Scores.open(card, ShadowAction.RESTART, "team/demo")).hasSize(1);
    assertThat(card.restarts())
        .isEqualTo(new Tally(Scores.MOST_OF_NAMESPACE + 1, 0, Scores.MOST_OF_NAMESPACE, 0));
    assertThat(Scores.isWritten(card, last)).as("nothing to write").isTrue();
    assertThat(Scores.isWritten(card, restart("other/job-1", T0.plusSeconds(5_000)))).isFalse();
  }

  @Test
  void shouldLoseTheOldestOfTheNamespaceWithTheMost() {
    Scorecard card = Scores.would(Scorecard.NONE, restart("team/demo", T0));
    for (int hour = 1; hour < 100; hour++) {
      card = Scores.would(card, restart("other/job-" + hour, T0.plusSeconds(3_600L * hour)));
    }
    assertThat(card.recent()).hasSize(Scores.MOST);
    assertThat(Scores.open(card, ShadowAction.RESTART, "team/demo")).hasSize(1);
    assertThat(Scores.open(card, ShadowAction.RESTART, "other/job-99")).hasSize(1);
  }

  private static Entry fence(String node, Instant at) {
    return new Entry(ShadowAction.FENCE, node, "f", "XID-79", at, ShadowVerdict.OPEN, "", null);
  }

  private static Entry restart(String job, Instant at) {
    return new Entry(ShadowAction.RESTART, job, "u", "Stalled", at, ShadowVerdict.OPEN, "", null);
  }
}
