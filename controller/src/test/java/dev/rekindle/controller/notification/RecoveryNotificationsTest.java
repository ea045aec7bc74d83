package dev.rekindle.controller.notification;

import static dev.rekindle.api.RecoveryPhase.DETECTED;
import static dev.rekindle.api.RecoveryPhase.DRAINING;
import static dev.rekindle.api.RecoveryPhase.HELD;
import static dev.rekindle.api.RecoveryPhase.PLANNING;
import static dev.rekindle.api.RecoveryPhase.RECOVERED;
import static dev.rekindle.api.RecoveryPhase.RESUMING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.notification.Notification.OfRecovery;
import dev.rekindle.controller.recovery.HoldReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RecoveryNotificationsTest {
  private static final Instant LONG_AGO = Given.T0.minus(Duration.ofDays(1));

  static Stream<Arguments> stories() {
    return Stream.of(
        argumentSet("one for each phase", phases(DETECTED, DRAINING), "opened draining"),
        argumentSet("none for a remark", phases(DETECTED, DRAINING, DRAINING), "opened draining"),
        argumentSet(
            "again for a phase that is entered again",
            phases(DETECTED, DRAINING, PLANNING, DRAINING),
            "opened draining planning draining"),
        argumentSet("none for a remark in a hold", phases(DETECTED, HELD, HELD), "opened held"),
        argumentSet(
            "once for kubelets that bring a gang back again and again",
            phases(DETECTED, RECOVERED, RECOVERED),
            "opened recovered"));
  }

  private static RecoveryPhase[] phases(RecoveryPhase... phases) {
    return phases;
  }

  @ParameterizedTest
  @MethodSource("stories")
  void shouldSayWhatHappened(RecoveryPhase[] phases, String expected) {
    assertThat(words(Stories.of("r", phases), LONG_AGO)).isEqualTo(expected);
  }

  private static String words(RecoveryView recovery, Instant after) {
    return String.join(
        " ", RecoveryNotifications.of(recovery, after).stream().map(n -> n.type().word()).toList());
  }

  /** A hold that lasts says once a minute what is full now: no news for a receiver. */
  @ParameterizedTest
  @CsvSource({
    "NoCapacity, NoCapacity, NoCapacity, opened held",
    "NoCapacity, CheckpointUnknown, NoCapacity, opened held held held",
    "DrainBlocked, , DrainBlocked, opened held"
  })
  void shouldSayOnceOfEachReasonThatItIsHeld(
      String first, @Nullable String second, String third, String expected) {
    RecoveryView held = heldAgain(Stories.of("r", DETECTED), first, second, third);

    assertThat(words(held, LONG_AGO)).isEqualTo(expected);
  }

  @Test
  void shouldLeaveOutWhatIsTooOld() {
    RecoveryView recovery = Stories.of("r", DETECTED, DRAINING, PLANNING);

    assertThat(words(recovery, Given.T0.plusSeconds(1))).isEqualTo("planning");
  }

  @Test
  void shouldNameTheReasonOfAHoldWhileItIsHeldForThat() {
    assertThat(holds(Stories.held("r", "NoCapacity"))).containsExactly(HoldReason.NO_CAPACITY);
    assertThat(holds(Stories.of("r", DETECTED, HELD, RESUMING))).isEmpty();
    assertThat(holds(heldAgain(Stories.held("r", "NoCapacity"), "NoCapacity")))
        .as("the first hold may have been for another reason")
        .containsExactly(HoldReason.NO_CAPACITY);
    assertThat(holds(heldAgain(Stories.held("r", "NoCapacity"), "NoCapacity", "NoCapacity")))
        .as("it is the same hold")
        .containsExactly(HoldReason.NO_CAPACITY);
  }

  /** With entries of holds for these reasons; of a remark where there is none. */
  private static RecoveryView heldAgain(RecoveryView recovery, @Nullable String... holds) {
    var status = Objects.requireNonNull(recovery.status());
    List<TimelineEntry> timeline = new ArrayList<>(status.timeline());
    for (String hold : holds) {
      timeline.add(new TimelineEntry(HELD, timeline.getLast().time().plusSeconds(9), "on", hold));
    }
    return recovery.with(status.withTimeline(timeline));
  }

  private static List<HoldReason> holds(RecoveryView recovery) {
    return RecoveryNotifications.of(recovery, LONG_AGO).stream()
        .map(n -> ((OfRecovery) n.content()).hold())
        .flatMap(Optional::stream)
        .toList();
  }

  @Test
  void shouldSayNothingOfARecoveryThatIsNotStored() {
    RecoveryView draft =
        new RecoveryView("team", "r", "", "", Stories.of("r", DETECTED).spec(), null);

    assertThat(RecoveryNotifications.of(draft, LONG_AGO)).isEmpty();
  }

  /** Whatever comes later, what was said before keeps its identity, and no two share one. */
  @Test
  void shouldKeepIdentitiesAsARecoveryProceeds() {
    SplittableRandom random = new SplittableRandom(18);
    for (int run = 0; run < 500; run++) {
      RecoveryView recovery = Stories.of("r" + run, DETECTED);
      List<String> before = ids(recovery);
      for (int step = 0; step < 40; step++) {
        recovery = goOn(recovery, random);
        List<String> now = ids(recovery);

        assertThat(now).doesNotHaveDuplicates().startsWith(before.toArray(String[]::new));
        assertThat(now).allSatisfy(id -> assertThat(Mark.timeOf(id)).isPresent());
        before = now;
      }
    }
  }

  private static List<String> ids(RecoveryView recovery) {
    return RecoveryNotifications.of(recovery, LONG_AGO).stream().map(Notification::id).toList();
  }

  /** The clock may step back in between. */
  private static RecoveryView goOn(RecoveryView recovery, SplittableRandom random) {
    var status = Objects.requireNonNull(recovery.status());
    List<TimelineEntry> timeline = new ArrayList<>(status.timeline());
    RecoveryPhase[] phases = RecoveryPhase.values();
    Instant time =
        timeline.getLast().time().plusMillis(random.nextInt(10_000) - 2_000).plusNanos(7_000);
    timeline.add(new TimelineEntry(phases[random.nextInt(phases.length)], time, "on"));
    return recovery.with(status.withTimeline(timeline));
  }
}
