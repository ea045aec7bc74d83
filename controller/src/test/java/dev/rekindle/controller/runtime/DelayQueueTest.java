package dev.rekindle.controller.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DelayQueueTest {
  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  @Test
  void shouldKeepFewEntriesForAKeyThatIsOftenAskedForBeforeItIsDue() {
    DelayQueue<String> queue = new DelayQueue<>();
    Instant now = Instant.EPOCH;
    for (int i = 0; i < 100_000; i++) {
      now = now.plusMillis(100);
      queue.add("job", now);
      assertThat(queue.take(now)).contains("job");
      queue.add("job", now.plus(Duration.ofDays(7)));
      queue.done("job", now, Duration.ZERO);
    }
    assertThat(queue.entries()).isLessThan(1_000);
    assertThat(queue.next()).contains(now.plus(Duration.ofDays(7)));
  }

  @Test
  void shouldAgreeWithASimpleModelWhateverIsDone() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      DelayQueue<Integer> agenda = new DelayQueue<>();
      Map<Integer, Instant> due = new HashMap<>();
      Map<Integer, Instant> rested = new HashMap<>();
      Set<Integer> inHand = new HashSet<>();
      Instant now = Instant.EPOCH;
      for (int step = 0; step < 300; step++) {
        int key = random.nextInt(6);
        switch (random.nextInt(3)) {
          case 0 -> {
            Instant asked = now.plusSeconds(random.nextInt(15));
            agenda.add(key, asked);
            Instant at = later(asked, rested.getOrDefault(key, asked));
            due.merge(key, at, (one, other) -> one.isBefore(other) ? one : other);
          }
          case 1 -> {
            if (inHand.remove(key)) {
              int rest = random.nextInt(3) * 4;
              agenda.done(key, now, Duration.ofSeconds(rest));
              if (rest > 0) {
                Instant until = now.plusSeconds(rest);
                rested.put(key, until);
                due.computeIfPresent(key, (_, at) -> later(at, until));
              }
            }
          }
          default -> {
            now = now.plusSeconds(random.nextInt(5));
            Instant time = now;
            Optional<Instant> earliest =
                due.entrySet().stream()
                    .filter(entry -> !inHand.contains(entry.getKey()))
                    .map(Map.Entry::getValue)
                    .min(Instant::compareTo);
            assertThat(agenda.next()).as("seed %d step %d", seed, step).isEqualTo(earliest);
            Optional<Integer> taken = agenda.take(time);
            assertThat(taken.isPresent())
                .as("seed %d step %d", seed, step)
                .isEqualTo(earliest.filter(at -> !at.isAfter(time)).isPresent());
            taken.ifPresent(
                k -> {
                  rested.remove(k);
                  assertThat(due.remove(k)).isEqualTo(earliest.orElseThrow());
                  assertThat(inHand.add(k)).isTrue();
                });
          }
        }
        assertThat(agenda.size()).isEqualTo(due.size());
      }
    }
  }
}
