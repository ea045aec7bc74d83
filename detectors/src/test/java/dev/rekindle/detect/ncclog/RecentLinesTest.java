package dev.rekindle.detect.ncclog;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RecentLinesTest {
  private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

  private Duration passed = Duration.ZERO;
  private final RecentLines lines = new RecentLines(() -> passed.toNanos());

  private void print(int error) {
    lines.take(
        () -> Optional.of(T0.plus(passed)), "[rank3]: RuntimeError: CUDA error: error " + error);
  }

  private static LoggedLine line(long second, int error) {
    return new LoggedLine(3, T0.plusSeconds(second), new LogFact.DeviceError("error " + error));
  }

  private List<LogFact> facts() {
    return lines.all().stream().map(LoggedLine::fact).toList();
  }

  private static List<LogFact> errors(int... numbers) {
    return IntStream.of(numbers)
        .<LogFact>mapToObj(number -> new LogFact.DeviceError("error " + number))
        .toList();
  }

  @Test
  void shouldKeepTheFirstOfLinesThatAreRepeated() {
    for (int second = 0; second <= 120; second += 20) {
      passed = Duration.ofSeconds(second);
      print(1);
    }

    assertThat(lines.all()).containsExactly(line(0, 1));
  }

  /** A job outlives an error of its network, and hangs for the same one an hour later. */
  @Test
  void shouldTakeALineAgainThatComesAfterASilence() {
    print(1);
    print(2);
    passed = RecentLines.SILENCE.plusSeconds(1);
    print(1);
    print(1);

    assertThat(lines.all())
        .containsExactly(line(0, 2), line(RecentLines.SILENCE.toSeconds() + 1, 1));
  }

  @Test
  void shouldKeepTheFirstTwoAndTheNewestOfMany() {
    IntStream.range(0, 20).forEach(this::print);

    assertThat(facts()).isEqualTo(errors(0, 1, 14, 15, 16, 17, 18, 19));
  }

  @Test
  void shouldNotKeepTheFirstLinesOfWhatIsOver() {
    IntStream.range(0, 8).forEach(this::print);
    passed = RecentLines.SILENCE.plusSeconds(1);
    IntStream.range(10, 14).forEach(this::print);

    assertThat(facts())
        .isEqualTo(
            Stream.of(errors(4, 5, 6, 7), errors(10, 11, 12, 13)).flatMap(List::stream).toList());
  }
}
