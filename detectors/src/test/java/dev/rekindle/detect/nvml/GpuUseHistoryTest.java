package dev.rekindle.detect.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankDevice;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Polls every 15 s of GPUs on which a process computes. */
class GpuUseHistoryTest {
  private static final String FIRST = "0000:3b:00";
  private static final String SECOND = "0000:3c:00";
  private static final long PID = 4711;
  private static final Duration POLL = Duration.ofSeconds(15);

  private final GpuUseHistory history = new GpuUseHistory();

  /** Such readings may be of any sign. */
  private long nanos = Long.MAX_VALUE - Duration.ofMinutes(10).toNanos();

  private static GpuReading reading(String pci, int memory, int watts, Map<Long, Long> processes) {
    var draft = new GpuDraft(pci);
    draft.use = Optional.of(new GpuUse(100, memory, watts, new TreeMap<>(processes)));
    return draft.reading();
  }

  private void poll(GpuReading... readings) {
    nanos += POLL.toNanos();
    history.add(List.of(readings), nanos);
  }

  private void polls(int count, int memory, int watts) {
    for (int i = 0; i < count; i++) {
      poll(reading(FIRST, memory, watts, Map.of(PID, 1024L)));
    }
  }

  private Optional<RankDevice> now() {
    return history.of(PID, nanos);
  }

  @Test
  void shouldSayWhatIsUsualWhileAProcessStands() {
    polls(30, 40, 600);
    polls(4, 0, 240);
    assertThat(now()).contains(new RankDevice(FIRST, 100, 0, 240, 40, 600));
  }

  @Test
  void shouldKnowWhatIsUsualThroughTenMinutesOfStanding() {
    polls(200, 40, 600);
    polls(40, 0, 240);
    assertThat(now()).contains(new RankDevice(FIRST, 100, 0, 240, 40, 600));
    polls(10, 0, 240);
    assertThat(now()).as("then it is forgotten").contains(device(0, 240, 0, 240));
  }

  private static RankDevice device(int memory, int watts, int usualMemory, int usualWatts) {
    return new RankDevice(FIRST, 100, memory, watts, usualMemory, usualWatts);
  }

  @Test
  void shouldCallNothingUsualAfterFewPolls() {
    polls(7, 40, 600);
    assertThat(now()).contains(new RankDevice(FIRST, 100, 40, 600, null, null));
    polls(1, 40, 600);
    assertThat(now()).contains(device(40, 600, 40, 600));
  }

  @Test
  void shouldCountNoPollOfAnotherProcess() {
    for (int i = 0; i < 20; i++) {
      poll(reading(FIRST, 90, 700, Map.of(1L, 1024L)));
    }
    assertThat(now()).isEmpty();
    polls(8, 30, 500);
    assertThat(now()).contains(device(30, 500, 30, 500));
  }

  @Test
  void shouldTakeTheGpuOfWhichAProcessHoldsTheMost() {
    // A rank that forgets to choose its GPU leaves some hundred MiB on the first one.
    poll(
        reading(FIRST, 10, 300, Map.of(PID, 500L, 1L, 70_000L)),
        reading(SECOND, 20, 400, Map.of(PID, 70_000L)));
    assertThat(now().map(RankDevice::gpu)).contains(SECOND);
  }

  @Test
  void shouldSayNothingOfGpusThatWereNotPolledOfLate() {
    polls(10, 40, 600);
    assertThat(history.of(PID, nanos + Duration.ofSeconds(20).toNanos())).isPresent();
    assertThat(history.of(PID, nanos + Duration.ofSeconds(21).toNanos())).isEmpty();
    poll();
    assertThat(now()).as("it is not there any more").isEmpty();
    var silent = new GpuDraft(FIRST);
    polls(1, 40, 600);
    poll(silent.reading());
    poll(silent.reading());
    assertThat(now()).as("it no longer says how busy it is").isEmpty();
  }
}
