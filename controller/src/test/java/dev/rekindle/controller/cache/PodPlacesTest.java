package dev.rekindle.controller.cache;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.FaultView.Incident;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** On which nodes jobs have had pods. */
class PodPlacesTest {
  private static final Duration HOUR = Duration.ofHours(1);

  /** On node-1. */
  private static final PodView POD = Given.gang("").get(1);

  /** Much has happened before: a process that has just begun takes each job for one of before. */
  private final PodPlaces places = new PodPlaces(T0.minus(HOUR));

  private static PodView made(Instant at) {
    return POD.withCreated(at);
  }

  private static Incident hit(Instant at) {
    return new Incident(
        at, at, 1, "", POD.job().namespace(), POD.name(), POD.jobUid(), "", "", "", "", List.of());
  }

  private boolean had(Instant at) {
    return places.had("node-1", hit(at));
  }

  /** A program that fails on each node that it is on is an excuse for all of them. */
  @Test
  void shouldKnowAJobForAsLongAsItHasHadPodsThereHoweverOftenTheyAreCreatedAgain() {
    places.add(made(T0));
    places.add(made(T0.plus(HOUR)));
    places.add(made(T0.plus(HOUR.multipliedBy(2))));

    assertThat(had(T0)).isTrue();
    assertThat(had(T0.plus(HOUR))).isTrue();
    assertThat(had(T0.minus(Duration.ofMinutes(6)))).as("before its first pod").isFalse();
  }

  /** A list shows pods in no order. */
  @Test
  void shouldNotMindInWhichOrderPodsAreSeen() {
    Random random = new Random(2);
    for (int i = 0; i < 200; i++) {
      PodPlaces seen = new PodPlaces(T0.minus(HOUR.multipliedBy(100)));
      List<Instant> times = new ArrayList<>();
      for (int pod = 0; pod <= random.nextInt(5); pod++) {
        times.add(T0.plus(Duration.ofMinutes(random.nextInt(600))));
      }
      Instant first = Collections.min(times);
      times.forEach(at -> seen.add(made(at)));
      Instant asked = T0.plus(Duration.ofMinutes(random.nextInt(600)));

      assertThat(seen.had("node-1", hit(asked)))
          .as("%s of %s", asked, times)
          .isEqualTo(!asked.isBefore(first.minus(Duration.ofMinutes(5))));
    }
  }

  @Test
  void shouldBelieveNothingOfOtherNodesJobsAndNamespaces() {
    places.add(made(T0));

    assertThat(places.had("node-2", hit(T0))).isFalse();
    assertThat(had(T0)).isTrue();
    places.add(made(T0).withJobUid("another"));
    assertThat(had(T0)).isTrue();
    Incident foreign = hit(T0);
    assertThat(
            places.had(
                "node-1",
                new Incident(
                    T0,
                    T0,
                    1,
                    "",
                    "other",
                    foreign.pod(),
                    foreign.jobUid(),
                    "",
                    "",
                    "",
                    "",
                    List.of())))
        .isFalse();
  }

  /** Each may create pods that name a node and a job that never was, and delete them. */
  @Test
  void shouldForgetNoPlaceOfANamespaceForAnotherThatHasManyPods() {
    places.add(made(T0));
    for (int i = 0; i < 20_000; i++) {
      places.add(made(T0).withJob(new JobKey("other", "demo")).withJobUid("uid-" + i));
    }

    assertThat(had(T0)).isTrue();
  }

  /** The owner of a pod is what who creates it says. */
  @Test
  void shouldKeepThePlaceOfAJobThatPodsOfAnotherNamespaceName() {
    places.add(made(T0));
    places.add(made(T0).withJob(new JobKey("other", "demo")));

    assertThat(had(T0)).isTrue();
  }

  @Test
  void shouldKeepSoManyPlacesInAll() {
    for (int i = 0; i < 20_000; i++) {
      places.add(made(T0).withJob(new JobKey("team-" + i % 3, "demo")).withJobUid("uid-" + i));
    }

    assertThat(places.size()).isEqualTo(16_384);
  }

  /** Of pods that were gone before it began a process knows nothing. */
  @Test
  void shouldNotDoubtWhatWasBeforeItBegan() {
    assertThat(had(T0.minus(HOUR).minusSeconds(1))).isTrue();
    assertThat(had(T0)).isFalse();
  }
}
