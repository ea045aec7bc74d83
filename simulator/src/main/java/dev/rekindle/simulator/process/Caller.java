package dev.rekindle.simulator.process;

import dev.rekindle.simulator.api.ApiError;
import dev.rekindle.simulator.engine.Fiber;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.process.NetworkFaults.Fate;
import dev.rekindle.simulator.setup.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Makes calls to the API server from a fiber: they take time, may fail before or after their
 * effect, and may be on their way when the caller dies.
 */
final class Caller {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration REPEATS_AFTER = Duration.ofMillis(200);
  private static final int MAX_CHANGES = 5;

  /** What an API server, a quota or a webhook may answer to anything, for once. */
  private static final int[] ONCE = {403, 413, 422, 429, 500, 503};

  private static final class Sent {
    private final Runnable effect;
    private final Instant arrives;
    private boolean arrived;
    private @Nullable RuntimeException refused;

    private Sent(Runnable effect, Instant arrives) {
      this.effect = effect;
      this.arrives = arrives;
    }

    /** It takes effect, once. */
    private void arrive() {
      if (!arrived) {
        arrived = true;
        try {
          effect.run();
        } catch (RuntimeException error) {
          refused = error;
        }
      }
    }
  }

  private final Loop loop;
  private final Timing timing;
  private final RandomGenerator random;
  private final Climate climate;
  private final BooleanSupplier deposed;
  private final List<Sent> onTheWay = new ArrayList<>();

  Caller(
      Loop loop, Timing timing, RandomGenerator random, Climate climate, BooleanSupplier deposed) {
    this.deposed = deposed;
    this.loop = loop;
    this.timing = timing;
    this.random = random;
    this.climate = climate;
  }

  /** Whether another process may lead by now, so that nothing is sent any more. */
  boolean isDeposed() {
    return deposed.getAsBoolean();
  }

  /** Makes the call, once more when no answer came. */
  <T> T call(Supplier<T> effect) {
    try {
      return attempt(effect);
    } catch (ApiError error) {
      if (error.code() != ApiError.UNANSWERED) {
        throw error;
      }
      Fiber.sleep(REPEATS_AFTER);
      return attempt(effect);
    }
  }

  /** Makes a change that reads, checks and writes; a conflict starts it again from the read. */
  void change(Runnable change) {
    for (int attempt = 1; ; attempt++) {
      try {
        change.run();
        return;
      } catch (ApiError error) {
        if (error.code() != ApiError.CONFLICT || attempt == MAX_CHANGES) {
          throw error;
        }
      }
    }
  }

  /**
   * Makes a call from outside a fiber: it takes no time.
   *
   * @return whether it is known to have had its effect
   */
  boolean atOnce(BooleanSupplier effect) {
    Fate fate = climate.weather().fate(random.nextDouble());
    if (!climate.apiUp(loop.instant())
        || fate == Fate.LOST
        || fate == Fate.LATE
        || fate == Fate.REFUSED) {
      return false;
    }
    return effect.getAsBoolean() && fate != Fate.UNHEARD;
  }

  private <T> T attempt(Supplier<T> effect) {
    if (deposed.getAsBoolean()) {
      throw new ApiError(ApiError.UNANSWERED, "not sent: another controller may lead");
    }
    Fate fate = climate.weather().fate(random.nextDouble());
    if (!climate.apiUp(loop.instant())) {
      Fiber.sleep(timing.call());
      throw unanswered();
    }
    return switch (fate) {
      case ANSWERED -> through(effect, timing.call());
      case SLOW -> through(effect, Duration.ofMillis(500 + random.nextInt(5_000)));
      case DOUBLED -> {
        T first = through(effect, timing.call());
        again(effect);
        yield first;
      }
      case REFUSED -> {
        Fiber.sleep(timing.call());
        throw new ApiError(ONCE[random.nextInt(ONCE.length)], "refused, this once");
      }
      case LOST -> {
        Fiber.sleep(random.nextInt(4) == 0 ? TIMEOUT : timing.call());
        throw unanswered();
      }
      case UNHEARD -> {
        var _ = through(effect, timing.call());
        throw unanswered();
      }
      case LATE -> {
        loop.after(Duration.ofMillis(random.nextInt(20_000)), () -> again(effect));
        Fiber.sleep(TIMEOUT);
        throw unanswered();
      }
    };
  }

  private <T> T through(Supplier<T> effect, Duration oneWay) {
    List<T> answer = new ArrayList<>(1);
    Sent sent = new Sent(() -> answer.add(effect.get()), loop.instant().plus(oneWay));
    onTheWay.add(sent);
    Fiber.sleep(oneWay);
    onTheWay.remove(sent);
    sent.arrive();
    if (sent.refused != null) {
      throw sent.refused;
    }
    if (random.nextInt(4) == 0) {
      // The way back is where a caller can die after the effect; now and then is often enough.
      Fiber.sleep(timing.call());
    }
    return answer.getFirst();
  }

  private static void again(Supplier<?> effect) {
    try {
      var _ = effect.get();
    } catch (RuntimeException refused) {
      // No fiber waits for this answer.
    }
  }

  /** The caller is paused: its requests arrive all the same, and their answers are lost. */
  void standsStill() {
    for (Sent sent : onTheWay) {
      loop.after(Duration.between(loop.instant(), sent.arrives), sent::arrive);
    }
  }

  /** The caller has died: what it had sent may arrive or not. */
  void died() {
    for (Sent sent : onTheWay) {
      if (!sent.arrived && random.nextBoolean()) {
        loop.after(
            timing.call(),
            () ->
                again(
                    () -> {
                      sent.arrive();
                      return sent;
                    }));
      }
    }
    onTheWay.clear();
  }

  /** A call was answered without an effect: that took its time, too. */
  void answered() {
    Fiber.sleep(timing.call());
  }

  private static ApiError unanswered() {
    return new ApiError(ApiError.UNANSWERED, "no answer");
  }

  /** The state of the network and of the API server. */
  interface Climate {
    NetworkFaults weather();

    boolean apiUp(Instant now);
  }
}
