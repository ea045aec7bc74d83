package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.simulator.process.Reconcilers;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A seed is worth something only if it makes the same run everywhere: again in this virtual
 * machine, whatever ran there before, beside others, unheard, and in a fresh one, where the JDK's
 * immutable sets and maps have another order, objects without a hash code of their own another one,
 * and fibers another number of carriers.
 */
@Timeout(300)
class SameSeedTest {
  private static final long[] SEEDS = {
    0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 4_181, -1, Long.MAX_VALUE
  };

  @Test
  void shouldMakeTheSameRunAgain() {
    for (long seed : SEEDS) {
      assertThat(run(seed)).isEqualTo(run(seed));
    }
  }

  @Test
  void shouldMakeTheSameRunWhateverRanBefore() {
    List<String> forward = LongStream.of(SEEDS).mapToObj(SameSeedTest::run).toList();
    List<String> backward = reversed().mapToObj(SameSeedTest::run).toList();

    assertThat(backward.reversed()).isEqualTo(forward);
  }

  private static LongStream reversed() {
    return LongStream.iterate(SEEDS.length - 1, i -> i >= 0, i -> i - 1).map(i -> SEEDS[(int) i]);
  }

  /** The seeds of the build are run without a listener, and those that break replayed with one. */
  @Test
  void shouldMakeTheSameRunWithoutListeners() {
    for (long seed : SEEDS) {
      SeedRun.Outcome unheard = SeedRun.run(seed);

      assertThat(run(seed)).startsWith("seed %d: %x ".formatted(seed, unheard.fingerprint()));
    }
  }

  @Test
  void shouldMakeTheSameRunBesideOthers() {
    List<String> alone = LongStream.of(SEEDS).mapToObj(SameSeedTest::run).toList();

    assertThat(LongStream.of(SEEDS).parallel().mapToObj(SameSeedTest::run).toList())
        .isEqualTo(alone);
  }

  @Test
  void shouldMakeTheSameRunInAFreshVirtualMachine() throws IOException, InterruptedException {
    List<String> here = LongStream.of(SEEDS).mapToObj(SameSeedTest::run).toList();

    assertThat(inAFreshVirtualMachine("forward")).isEqualTo(here);
    assertThat(
            inAFreshVirtualMachine(
                    "backward",
                    "-XX:+UnlockExperimentalVMOptions",
                    "-XX:hashCode=2",
                    "-Djdk.virtualThreadScheduler.parallelism=1",
                    "-Djdk.virtualThreadScheduler.maxPoolSize=1")
                .reversed())
        .isEqualTo(here);
  }

  @Test
  void shouldMakeAnotherRunOfAnotherSeed() {
    assertThat(LongStream.of(SEEDS).mapToObj(seed -> run(seed).replaceFirst("seed \\S+", "")))
        .doesNotHaveDuplicates();
  }

  /** What a run comes to, and a digest of everything that happened in it and when. */
  private static String run(long seed) {
    AtomicLong digest = new AtomicLong();
    SeedRun.Outcome outcome =
        SeedRun.run(
            seed,
            Reconcilers.REAL,
            happening -> digest.set(digest.get() * 31 + happening.toString().hashCode()));
    return "seed %d: %x %x".formatted(seed, outcome.fingerprint(), digest.get());
  }

  private static List<String> inAFreshVirtualMachine(String order, String... options)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of(options));
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), Print.class.getName(), order));
    Process java = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
    List<String> lines = new ArrayList<>(java.inputReader(StandardCharsets.UTF_8).readAllLines());
    assertThat(java.waitFor()).isZero();
    return lines;
  }

  /** Prints the runs, in that order. */
  static final class Print {
    private Print() {}

    public static void main(String[] args) {
      (args[0].equals("backward") ? reversed() : LongStream.of(SEEDS))
          .mapToObj(SameSeedTest::run)
          .forEach(System.out::println);
    }
  }
}
