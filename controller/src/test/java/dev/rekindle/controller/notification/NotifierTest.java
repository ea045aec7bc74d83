package dev.rekindle.controller.notification;

import static dev.rekindle.api.RecoveryPhase.DETECTED;
import static dev.rekindle.api.RecoveryPhase.DRAINING;
import static dev.rekindle.api.RecoveryPhase.RECOVERED;
import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.IgnoredChanges;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.notification.Answer.Delivered;
import dev.rekindle.controller.notification.Answer.Refused;
import dev.rekindle.controller.notification.Answer.Trouble;
import dev.rekindle.controller.notification.Answer.Unavailable;
import dev.rekindle.controller.notification.Webhook.Format;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.runtime.Backoff;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class NotifierTest {
  private static final Set<NotificationType> ALL = EnumSet.allOf(NotificationType.class);

  private final FlatState state = new FlatState(new IgnoredChanges());
  private final Store store = new Store();
  private final List<String> taken = new ArrayList<>();
  private Answer answer = new Delivered();
  private Instant now = T0.plusSeconds(60);
  private PrometheusRegistry registry = new PrometheusRegistry();
  private Leader leader = new Leader(ALL);

  /** A process that leads, as the threads run it. */
  private final class Leader {
    private final Notifier notifier;
    private final DeliveryLoop loop;

    private Leader(Set<NotificationType> types) {
      registry = new PrometheusRegistry();
      Webhook webhook = new Webhook("ops", "http://ops", Path.of("/none"), Format.SLACK, types);
      notifier =
          new Notifier(
              new NotificationSettings(List.of(webhook), "", Duration.ofHours(6), List.of()),
              state,
              store,
              () -> now,
              () -> now,
              new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(5), new SplittableRandom(1)),
              new NotificationMetrics(registry, List.of("ops")));
      loop =
          notifier
              .loops(
                  (_, notification) -> {
                    if (answer instanceof Delivered) {
                      taken.add(notification.type().word() + " " + notification.id());
                    }
                    return answer;
                  })
              .getFirst();
    }

    private void work(int seconds) {
      for (int i = 0; i < seconds; i++) {
        var _ = notifier.poll();
        while (loop.step().isZero()) {
          // Goes on while there is something to send.
        }
        now = now.plusSeconds(1);
      }
    }
  }

  /** A ConfigMap that may be refused. */
  private static final class Store implements RecordStore {
    private Stored stored = new Stored("", Map.of());
    private boolean refuses;
    private int writes;

    @Override
    public Stored read() {
      return stored;
    }

    @Override
    public Optional<Stored> write(Stored before, Map<String, String> data) {
      if (refuses) {
        throw new RefusedException(403, "no");
      }
      if (!before.version().equals(stored.version())) {
        return Optional.empty();
      }
      writes++;
      stored = new Stored("v" + writes, data);
      return Optional.of(stored);
    }
  }

  private void shows(RecoveryView recovery) {
    state.recoveryFeed().present("team/" + recovery.name(), null, recovery);
  }

  private void shows(NodeView node) {
    state.nodeFeed().present(node.name(), null, node);
  }

  private List<String> words() {
    return taken.stream().map(t -> t.substring(0, t.indexOf(' '))).toList();
  }

  private double metric(String name, String label) {
    return registry.scrape(n -> n.equals(name)).stream()
        .flatMap(s -> s.getDataPoints().stream())
        .filter(d -> label.isEmpty() || label.equals(d.getLabels().get("reason")))
        .mapToDouble(
            d ->
                switch (d) {
                  case io.prometheus.metrics.model.snapshots.CounterSnapshot
                              .CounterDataPointSnapshot
                          c ->
                      c.getValue();
                  case io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot
                          g ->
                      g.getValue();
                  default -> Double.NaN;
                })
        .sum();
  }

  @Test
  void shouldDeliverEachThingOnceInItsOrder() {
    shows(Stories.of("r", DETECTED, DRAINING));
    leader.work(3);
    shows(Stories.of("r", DETECTED, DRAINING, RECOVERED));
    leader.work(10);

    assertThat(words()).containsExactly("opened", "draining", "recovered");
    assertThat(metric("rekindle_notifications_delivered", "")).isEqualTo(3);
    assertThat(metric("rekindle_notifications_waiting", "")).isZero();
  }

  @Test
  void shouldDeliverOnlyWhatTheWebhookRequested() {
    leader = new Leader(EnumSet.of(NotificationType.RECOVERED));
    shows(Stories.of("r", DETECTED, DRAINING, RECOVERED));
    leader.work(2);

    assertThat(words()).containsExactly("recovered");
    assertThat(metric("rekindle_notifications_waiting", "")).as("before it is stored").isZero();
  }

  @Test
  void shouldNotDeliverAgainAfterAChangeOfLeader() {
    shows(Stories.of("r", DETECTED, DRAINING));
    leader.work(10);

    leader = new Leader(ALL);
    leader.work(10);

    assertThat(words()).containsExactly("opened", "draining");
  }

  /** At least once: what was delivered and not yet stored comes again, by the same identity. */
  @Test
  void shouldDeliverAgainWhatACrashKeptFromBeingStored() {
    leader.work(1);
    shows(Stories.of("r", DETECTED));
    leader.work(1);
    assertThat(taken).hasSize(1);

    leader = new Leader(ALL);
    leader.work(10);

    assertThat(taken).hasSize(2);
    assertThat(taken.getFirst()).isEqualTo(taken.getLast());
  }

  @Test
  void shouldStoreWhatWasDeliveredAsItEnds() {
    leader.work(1);
    shows(Stories.of("r", DETECTED));
    leader.work(1);
    leader.notifier.close();

    leader = new Leader(ALL);
    leader.work(10);

    assertThat(taken).hasSize(1);
  }

  @Test
  void shouldDeliverOnceTheWebhookIsThereAgain() {
    answer = new Unavailable(Trouble.NO_ANSWER, 0, "", Duration.ZERO);
    shows(Stories.of("r", DETECTED));
    leader.work(100);
    assertThat(metric("rekindle_notification_oldest_age_seconds", "")).isEqualTo(159);
    assertThat(metric("rekindle_notification_attempts_failed", "no_answer")).isBetween(5.0, 12.0);

    answer = new Delivered();
    leader.work(300);

    assertThat(words()).containsExactly("opened");
  }

  @Test
  void shouldDeliverTheOthersWhileOneIsRefused() {
    shows(Stories.of("r", DETECTED));
    answer = new Refused(413);
    var _ = leader.notifier.poll();
    var _ = leader.loop.step();
    answer = new Delivered();
    shows(Stories.of("s", DETECTED));
    var _ = leader.notifier.poll();
    var _ = leader.loop.step();

    assertThat(taken).containsExactly("opened " + id(Stories.of("s", DETECTED)));
  }

  private static String id(RecoveryView recovery) {
    return RecoveryNotifications.of(recovery, Instant.EPOCH).getFirst().id();
  }

  @Test
  void shouldGiveUpWhatIsTooOldAndCountIt() {
    answer = new Unavailable(Trouble.BUSY, 503, "", Duration.ZERO);
    shows(Stories.of("r", DETECTED));
    leader.work(1);
    now = now.plus(Duration.ofHours(6));
    answer = new Delivered();
    leader.work(400);

    assertThat(taken).isEmpty();
    assertThat(metric("rekindle_notifications_dropped", "expired")).isEqualTo(1);
    assertThat(metric("rekindle_notifications_dropped", "gone")).isZero();
  }

  @Test
  void shouldCountWhatIsGoneWithItsRecovery() {
    answer = new Unavailable(Trouble.BUSY, 503, "", Duration.ZERO);
    shows(Stories.of("r", DETECTED));
    leader.work(2);
    state.recoveryFeed().gone("team/r", null);
    leader.work(2);

    assertThat(metric("rekindle_notifications_dropped", "gone")).isEqualTo(1);
  }

  @Test
  void shouldContinueWhereItMayNotStoreWhatItDelivered() {
    store.refuses = true;
    shows(Stories.of("r", DETECTED));
    leader.work(5);
    shows(Stories.of("s", DETECTED));
    leader.work(20);

    assertThat(taken).hasSize(2);
  }

  @Test
  void shouldTakeInWhatAnotherLeaderStored() {
    leader.work(2);
    Leader other = new Leader(ALL);
    shows(Stories.of("r", DETECTED));
    other.work(10);
    taken.clear();
    shows(Stories.of("s", DETECTED));
    leader.work(20);

    Leader third = new Leader(ALL);
    taken.clear();
    third.work(5);

    assertThat(taken).isEmpty();
  }

  @Test
  void shouldSayNothingOfAFenceBeforeItIsStored() {
    store.refuses = true;
    shows(Given.node("node-1", NodeView.Readiness.READY, T0, true, "team/r").withUid("a"));
    leader.work(30);
    assertThat(taken).isEmpty();

    store.refuses = false;
    leader.work(10);
    leader = new Leader(ALL);
    shows(Given.node("node-1").withUid("a"));
    leader.work(10);

    assertThat(words()).containsExactly("nodeFenced", "nodeReleased");
  }

  @Test
  void shouldNotWriteMoreOftenThanEveryFewSeconds() {
    for (int i = 0; i < 60; i++) {
      shows(Stories.of("r" + i, DETECTED));
      leader.work(1);
    }

    assertThat(taken).hasSize(60);
    assertThat(store.writes).isBetween(5, 13);
  }

  @Test
  void shouldDeliverWhatComesFromAClockThatIsAhead() {
    now = T0.minus(Duration.ofHours(1));
    shows(Stories.of("r", DETECTED));
    leader.work(2);

    assertThat(words()).containsExactly("opened");
    assertThat(metric("rekindle_notification_oldest_age_seconds", "")).isZero();
  }
}
