package dev.rekindle.controller.notification;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.runtime.Backoff;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a webhook is owed that refuses much of it. */
class OutboxTest {
  private Instant now = T0;
  private final Outbox outbox =
      new Outbox(
          () -> now, new Backoff(Duration.ofSeconds(2), Duration.ofMinutes(10), new Random(1)));

  private static Notification fence(int minute) {
    Instant at = T0.plus(Duration.ofMinutes(minute));
    return Notification.of(
        new FenceEpisode("n" + minute, "uid-" + minute, "fault/f", at, null),
        NotificationType.NODE_FENCED,
        at);
  }

  /**
   * Sends all that may be sent now; what is older than the last minute that is taken is refused.
   */
  private Set<String> sent(int firstTaken) {
    Set<String> ids = new HashSet<>();
    for (Optional<Notification> next = outbox.next(); next.isPresent(); next = outbox.next()) {
      Notification one = next.get();
      boolean taken = !one.time().isBefore(T0.plus(Duration.ofMinutes(firstTaken)));
      outbox.answered(one, taken ? new Answer.Delivered() : new Answer.Refused(400));
      if (taken) {
        ids.add(one.id());
      }
    }
    return ids;
  }

  @Test
  void shouldSendWhatIsNewerThanAThousandThatAreRefused() {
    List<Notification> all = new ArrayList<>();
    for (int minute = 0; minute < Outbox.MOST + 5; minute++) {
      all.add(fence(minute));
    }
    outbox.offer(all);
    assertThat(sent(Outbox.MOST)).isEmpty();
    now = now.plusMillis(500);
    outbox.offer(all);

    assertThat(sent(Outbox.MOST)).hasSize(5);
  }

  @Test
  void shouldSendTheOldestFirst() {
    outbox.offer(List.of(fence(0), fence(1)));
    assertThat(outbox.next()).contains(fence(0));
  }
}
