package dev.rekindle.controller.notification;

import static dev.rekindle.api.RecoveryPhase.DETECTED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.IgnoredChanges;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.notification.Answer.Delivered;
import dev.rekindle.controller.notification.Webhook.Format;
import dev.rekindle.controller.runtime.Backoff;
import dev.rekindle.detect.SteadyClock;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class DeliveryTest {
  private final FlatState state = new FlatState(new IgnoredChanges());
  private final CountDownLatch good = new CountDownLatch(1);
  private final CountDownLatch hangs = new CountDownLatch(1);
  private final CountDownLatch never = new CountDownLatch(1);
  private final AtomicReference<Map<String, String>> stored = new AtomicReference<>(Map.of());

  private static Webhook webhook(String name) {
    return new Webhook(name, "http://x", Path.of("/none"), Format.SLACK, NotificationType.USUAL);
  }

  private Answer send(Webhook webhook, Notification notification) {
    if (notification.id().contains("broken")) {
      throw new StackOverflowError("thrown by the test");
    }
    if (webhook.name().equals("hangs")) {
      hangs.countDown();
      try {
        never.await();
      } catch (InterruptedException ends) {
        Thread.currentThread().interrupt();
      }
      return new Answer.Refused(400);
    }
    good.countDown();
    return new Delivered();
  }

  private RecordStore store() {
    return new RecordStore() {
      @Override
      public Stored read() {
        return new Stored("1", stored.get());
      }

      @Override
      public Optional<Stored> write(Stored before, Map<String, String> data) {
        stored.set(data);
        return Optional.of(new Stored("1", data));
      }
    };
  }

  private Notifier notifier(Webhook... webhooks) {
    return new Notifier(
        new NotificationSettings(List.of(webhooks), "", Duration.ofHours(6), List.of()),
        state,
        store(),
        () -> Given.T0.plusSeconds(1),
        SteadyClock.system(),
        new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(5), new SplittableRandom(1)),
        new NotificationMetrics(new PrometheusRegistry(), List.of()));
  }

  /** One that hangs keeps neither the other webhook waiting nor the end of the process. */
  @Test
  void shouldKeepWebhooksApartAndStoreWhatWasDeliveredAsItEnds() throws InterruptedException {
    state.recoveryFeed().present("team/r", null, Stories.of("r", DETECTED));
    Notifier notifier = notifier(webhook("hangs"), webhook("good"));
    try (Delivery delivery = new Delivery(notifier, this::send)) {
      delivery.start();

      assertThat(hangs.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(good.await(60, TimeUnit.SECONDS)).isTrue();
    }

    assertThat(stored.get()).containsOnlyKeys("webhook.good");
  }

  @Test
  void shouldSendOthersWhenOneCannotBePutIntoWords() throws InterruptedException {
    state.recoveryFeed().present("team/broken", null, Stories.of("broken", DETECTED));
    state.recoveryFeed().present("team/r", null, Stories.of("r", DETECTED));
    try (Delivery delivery = new Delivery(notifier(webhook("good")), this::send)) {
      delivery.start();

      assertThat(good.await(20, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(stored.get()).containsOnlyKeys("webhook.good");
  }
}
