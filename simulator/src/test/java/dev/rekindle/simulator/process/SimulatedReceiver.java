package dev.rekindle.simulator.process;

import dev.rekindle.controller.notification.Answer;
import dev.rekindle.controller.notification.Answer.Delivered;
import dev.rekindle.controller.notification.Answer.Refused;
import dev.rekindle.controller.notification.Answer.Trouble;
import dev.rekindle.controller.notification.Answer.Unavailable;
import dev.rekindle.controller.notification.Notification;
import dev.rekindle.simulator.engine.Fiber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** An endpoint of a webhook: healthy, or failing in some way. It outlives the controllers. */
public final class SimulatedReceiver {
  /** How it behaves. */
  public enum Mood {
    GOOD,
    /** Answers 500. */
    BROKEN,
    /** Asks to be left alone for 20 s. */
    BUSY,
    /** Takes the connection and says nothing. */
    HANGS,
    /** Takes a notification, and its answer is lost. */
    MUTE,
    /** Refuses each second notification. */
    PICKY
  }

  private static final Duration WAY = Duration.ofMillis(20);
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final RandomGenerator random;
  private final Map<String, Integer> taken = new HashMap<>();
  private final List<String> types = new ArrayList<>();
  private Mood mood = Mood.GOOD;

  /** One that draws from there how long its answers take. */
  public SimulatedReceiver(RandomGenerator random) {
    this.random = random;
  }

  /** From now on it behaves so. */
  public void become(Mood next) {
    mood = next;
  }

  /** What it has taken, by identity, and how often. */
  public Map<String, Integer> taken() {
    return taken;
  }

  /** Types of what it has taken, in order. */
  public List<String> types() {
    return types;
  }

  /** Takes one, from a fiber that waits for the answer. */
  Answer post(Notification notification) {
    Fiber.sleep(WAY.plusMillis(random.nextInt(200)));
    return switch (mood) {
      case GOOD -> {
        take(notification);
        // Who sent it may die before it hears of that.
        Fiber.sleep(WAY);
        yield new Delivered();
      }
      case BROKEN -> new Unavailable(Trouble.SERVER_ERROR, 500, "", Duration.ZERO);
      case BUSY -> new Unavailable(Trouble.BUSY, 503, "", Duration.ofSeconds(20));
      case HANGS -> {
        Fiber.sleep(LIMIT);
        yield new Unavailable(Trouble.TIMEOUT, 0, "", Duration.ZERO);
      }
      case MUTE -> {
        take(notification);
        Fiber.sleep(LIMIT);
        yield new Unavailable(Trouble.TIMEOUT, 0, "", Duration.ZERO);
      }
      case PICKY -> {
        if (random.nextBoolean()) {
          yield new Refused(422);
        }
        take(notification);
        yield new Delivered();
      }
    };
  }

  private void take(Notification notification) {
    taken.merge(notification.id(), 1, Integer::sum);
    types.add(notification.type().word());
  }
}
