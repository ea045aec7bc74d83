package dev.rekindle.simulator.process;

import dev.rekindle.simulator.api.ApiError;
import dev.rekindle.simulator.engine.Fiber;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.process.NetworkFaults.Fate;
import dev.rekindle.simulator.setup.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/** A call takes 5 ms to its effect; it is given up after 10 s and repeated 200 ms later. */
abstract class CallerFixture {
  final Loop loop = new Loop();
  final Chance chance = new Chance();
  final Deque<NetworkFaults> weathers = new ArrayDeque<>();
  final List<Long> effects = new ArrayList<>();
  final List<String> ends = new ArrayList<>();
  Instant apiBack = Loop.T0;
  boolean deposed;

  final Caller caller =
      new Caller(
          loop,
          Timing.DEFAULT,
          chance,
          new Caller.Climate() {
            @Override
            public NetworkFaults weather() {
              return Objects.requireNonNullElse(weathers.poll(), NetworkFaults.CALM);
            }

            @Override
            public boolean apiUp(Instant now) {
              return !now.isBefore(apiBack);
            }
          },
          () -> deposed);

  /** Network faults under which every call ends so. */
  static NetworkFaults all(Fate fate) {
    return new NetworkFaults(
        fate == Fate.LOST ? 1 : 0,
        fate == Fate.UNHEARD ? 1 : 0,
        fate == Fate.LATE ? 1 : 0,
        fate == Fate.DOUBLED ? 1 : 0,
        fate == Fate.SLOW ? 1 : 0,
        fate == Fate.REFUSED ? 1 : 0);
  }

  String effect() {
    effects.add(loop.micros());
    return "answer " + effects.size();
  }

  Fiber start(Supplier<String> call) {
    return Fiber.start(
        loop,
        () -> 0,
        () -> {
          try {
            String answer = call.get();
            ends.add(loop.micros() / 1_000 + " " + answer);
          } catch (ApiError error) {
            ends.add(loop.micros() / 1_000 + " error " + error.code());
          }
        });
  }

  @SuppressWarnings("StatementWithEmptyBody")
  void runFor(Duration time) {
    long until = loop.micros() + time.toNanos() / 1_000;
    while (loop.step(until)) {}
    loop.moveTo(until);
  }
}
