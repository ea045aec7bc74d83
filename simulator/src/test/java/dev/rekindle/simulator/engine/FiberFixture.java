package dev.rekindle.simulator.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Fibers on one loop. */
abstract class FiberFixture {
  final Loop loop = new Loop();
  final List<String> said = new ArrayList<>();
  long notBefore;

  Fiber start(Runnable body) {
    return Fiber.start(loop, () -> notBefore, body);
  }

  Runnable sleeper(String name, int... millis) {
    return () -> {
      say(name);
      for (int time : millis) {
        Fiber.sleep(Duration.ofMillis(time));
        say(name);
      }
    };
  }

  void say(String what) {
    said.add(loop.micros() / 1_000 + " " + what);
  }

  @SuppressWarnings("StatementWithEmptyBody")
  void runFor(int millis) {
    long until = loop.micros() + millis * 1_000L;
    while (loop.step(until)) {}
    loop.moveTo(until);
  }
}
