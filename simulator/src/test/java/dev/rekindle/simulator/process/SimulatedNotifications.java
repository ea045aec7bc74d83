package dev.rekindle.simulator.process;

import dev.rekindle.controller.notification.Answer;
import dev.rekindle.controller.notification.Answer.Delivered;
import dev.rekindle.controller.notification.DeliveryLoop;
import dev.rekindle.controller.notification.NotificationMetrics;
import dev.rekindle.controller.notification.NotificationSettings;
import dev.rekindle.controller.notification.NotificationType;
import dev.rekindle.controller.notification.Notifier;
import dev.rekindle.controller.notification.RecordStore;
import dev.rekindle.controller.notification.Sender;
import dev.rekindle.controller.notification.Webhook;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import dev.rekindle.controller.runtime.Backoff;
import dev.rekindle.simulator.engine.Fiber;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The controller's notifications on fibers: what the threads do in a real process. The receiver and
 * what is stored outlive the processes. All chance is drawn from a source of its own, so that the
 * rest of a run is what it would be without.
 */
public final class SimulatedNotifications implements Companion {
  private static final NotificationMetrics METRICS =
      new NotificationMetrics(new PrometheusRegistry(), List.of());
  private static final Duration AGE = Duration.ofDays(7);

  private final SimulatedReceiver receiver;
  private final SplittableRandom random;
  private final Way way;
  private final NotificationSettings settings =
      new NotificationSettings(
          List.of(
              new Webhook(
                  "sim",
                  "http://sim",
                  Path.of("/none"),
                  Webhook.Format.CLOUDEVENTS,
                  EnumSet.allOf(NotificationType.class))),
          "",
          AGE,
          List.of());
  private RecordStore.Stored stored = new RecordStore.Stored("", Map.of());
  private int version;

  /** How a controller sends; tests have broken ones. */
  @FunctionalInterface
  public interface Way {
    /**
     * Makes what sends in that process, which may be broken, of what does so truly.
     *
     * @param aside runs something beside, until the process dies
     */
    Sender of(Sender sender, Consumer<Runnable> aside);

    /** The controller's own. */
    Way REAL = (sender, _) -> sender;

    /** Broken: takes every answer for a success. */
    Way TAKING_EVERY_ANSWER_FOR_A_SUCCESS =
        (sender, _) ->
            (webhook, notification) -> {
              Answer _ = sender.send(webhook, notification);
              return new Delivered();
            };

    /** Broken: says that it has sent what it is only going to send. */
    Way SENDING_LATER =
        (sender, aside) ->
            (webhook, notification) -> {
              aside.accept(
                  () -> {
                    Fiber.sleep(Duration.ofSeconds(8));
                    while (!(sender.send(webhook, notification) instanceof Delivered)) {
                      Fiber.sleep(Duration.ofSeconds(8));
                    }
                  });
              return new Delivered();
            };
  }

  /** Notifications to that receiver. */
  public SimulatedNotifications(SimulatedReceiver receiver, long seed, Way way) {
    this.receiver = receiver;
    this.random = new SplittableRandom(seed ^ 0x6E6F7469L);
    this.way = way;
  }

  @Override
  public Runnable begin(Leader leader) {
    Notifier notifier =
        new Notifier(
            settings,
            leader.state(),
            new Store(),
            leader.clock(),
            leader.steady(),
            new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(5), random),
            METRICS);
    List<Fiber> fibers = new ArrayList<>();
    DeliveryLoop loop =
        notifier
            .loops(
                way.of(
                    (_, notification) -> receiver.post(notification),
                    work -> fibers.add(Fiber.start(leader.loop(), leader.notBefore(), work))))
            .getFirst();
    fibers.add(fiber(leader, notifier::poll));
    fibers.add(fiber(leader, loop::step));
    return () -> fibers.forEach(Fiber::kill);
  }

  private static Fiber fiber(Leader leader, Supplier<Duration> step) {
    return Fiber.start(
        leader.loop(),
        leader.notBefore(),
        () -> {
          while (true) {
            Fiber.sleep(step.get());
          }
        });
  }

  /** A ConfigMap: a call takes its time, and fails now and then, before or after its effect. */
  private final class Store implements RecordStore {
    @Override
    public Stored read() {
      call();
      return stored;
    }

    @Override
    public Optional<Stored> write(Stored before, Map<String, String> data) {
      call();
      if (!before.version().equals(stored.version())) {
        return Optional.empty();
      }
      stored = new Stored("v" + ++version, data);
      call();
      return Optional.of(stored);
    }

    private void call() {
      Fiber.sleep(Duration.ofMillis(5 + random.nextInt(20)));
      if (random.nextInt(20) == 0) {
        throw new UnavailableException(0, "no answer", Duration.ZERO);
      }
    }
  }
}
