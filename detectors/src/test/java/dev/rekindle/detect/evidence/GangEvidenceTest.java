package dev.rekindle.detect.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.detect.ncclog.LogFact.GilStuck;
import dev.rekindle.detect.ncclog.LogFact.WatchdogStuck;
import dev.rekindle.detect.ncclog.LoggedLine;
import dev.rekindle.detect.pod.TrainingContainer;
import dev.rekindle.detect.pod.TrainingPod;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GangEvidenceTest {
  private static final String CONTAINER = "0123456789abcdef0123";
  private static final TrainingPod POD =
      new TrainingPod(
          "team",
          "worker-1",
          "uid-1",
          "job",
          "job-uid",
          Instant.EPOCH,
          false,
          false,
          new TrainingContainer(CONTAINER, 0, true),
          Set.of());
  private static final String DUMP =
      """
      {"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
       "pg_status": {"0": {"last_enqueued_collective": 9, "last_completed_collective": 8}},
       "entries": [{"pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 9,
                    "profiling_name": "gloo:all_reduce", "state": "scheduled"}]}
      """;

  @TempDir Path proc;
  private Instant now = Instant.EPOCH;
  private final PodLines lines = new PodLines();
  private final Container container = new Container();
  private final List<Runnable> threads = new ArrayList<>();

  /** A container whose rank writes its dump some looks after it was asked. */
  private static final class Container implements ContainerFiles {
    final Map<String, String> files = new HashMap<>();
    final Map<String, Long> inodes = new HashMap<>();
    boolean listens = true;
    boolean asked;
    int takes = 3;
    String writes = DUMP;
    @Nullable IOException broken;

    void put(String path, String content) {
      files.put(path, content);
      inodes.merge(path, 1L, Long::sum);
    }

    @Override
    public Optional<Stamp> look(long pid, String path) throws IOException {
      if (broken != null) {
        throw broken;
      }
      if (asked && --takes == 0) {
        put("/fr/rank_1", writes);
      }
      var content = files.get(path);
      return content == null
          ? Optional.empty()
          : Optional.of(new Stamp(Instant.EPOCH, content.length(), inodes.getOrDefault(path, 0L)));
    }

    @Override
    public byte[] read(long pid, String path, int most) {
      return files.getOrDefault(path, "").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean poke(long pid, String path) {
      asked = listens && path.equals("/fr/pipe_1.pipe");
      return asked;
    }

    @Override
    public boolean isRead(long pid, String path) {
      return listens;
    }
  }

  @BeforeEach
  void rank() throws IOException {
    process(
        "RANK=1\0WORLD_SIZE=2\0TORCH_FR_DUMP_TEMP_FILE=/fr/rank_\0"
            + "TORCH_NCCL_DEBUG_INFO_PIPE_FILE=/fr/pipe_");
  }

  private void process(String environment) throws IOException {
    var task = Files.createDirectories(proc.resolve("10/task/10"));
    Files.writeString(task.resolve("stat"), "10 (python) S 1 1");
    Files.writeString(proc.resolve("10/cgroup"), "0::/" + CONTAINER);
    Files.writeString(proc.resolve("10/environ"), environment + "\0");
  }

  private GangEvidence evidence() {
    return new GangEvidence(
        new RankProcesses(proc),
        container,
        lines,
        () -> now,
        threads::add,
        time -> now = now.plus(time));
  }

  private RankEvidence found(GangEvidence evidence) {
    assertThat(evidence.of("order", POD)).as("begins, and does not wait").isEmpty();
    threads.removeFirst().run();
    return evidence.of("order", POD).orElseThrow().getFirst();
  }

  @Test
  void shouldAskForADumpAndWaitUntilItIsThere() {
    var found = found(evidence());
    assertThat(found.dump()).isEqualTo(DumpState.READ);
    assertThat(found.rank()).isEqualTo(1);
    assertThat(found.worldSize()).isEqualTo(2);
    assertThat(found.groups().getFirst().ranks()).isEqualTo("0-1");
    assertThat(found.groups().getFirst().enqueued()).isEqualTo(9);
    assertThat(found.podUid()).isEqualTo("uid-1");
    assertThat(now).isBefore(Instant.EPOCH.plusSeconds(1));
  }

  @Test
  void shouldAddWhatTheLogOfTheRankSays() {
    lines.keep(
        "uid-1",
        List.of(
            new LoggedLine(0, Instant.EPOCH, new GilStuck()),
            new LoggedLine(1, Instant.EPOCH, new WatchdogStuck(480))));
    assertThat(found(evidence()).lines())
        .extracting(RankEvidence.Line::kind)
        .containsExactly(RankEvidence.LineKind.WATCHDOG_STUCK);
  }

  /** A dump of an earlier hang says nothing of this one. */
  @Test
  void shouldNotTakeADumpThatWasThereBefore() {
    container.put("/fr/rank_1", DUMP);
    container.takes = Integer.MAX_VALUE;
    assertThat(found(evidence()).dump()).isEqualTo(DumpState.MISSING);
    assertThat(now).isAfter(Instant.EPOCH.plusSeconds(3)).isBefore(Instant.EPOCH.plusSeconds(4));
  }

  @ParameterizedTest
  @CsvSource({"{\"version\", UNREADABLE", "'', MISSING", "{}, UNREADABLE"})
  void shouldSayThatADumpIsNotWhole(String written, DumpState state) {
    container.writes = written;
    if (written.isEmpty()) {
      container.takes = Integer.MAX_VALUE;
    }
    assertThat(found(evidence()).dump()).isEqualTo(state);
  }

  @Test
  void shouldNotReadADumpThatIsLargerThanTheAgentCanHold() {
    container.writes = " ".repeat(RankWitness.MOST_BYTES) + DUMP;
    assertThat(found(evidence()).dump()).isEqualTo(DumpState.UNREADABLE);
  }

  @Test
  void shouldWaitForNoDumpWhereThereIsNoPipe() {
    container.listens = false;
    assertThat(found(evidence()).dump()).isEqualTo(DumpState.NONE);
    assertThat(now).isEqualTo(Instant.EPOCH);
  }

  @Test
  void shouldWaitForNoDumpWhereNoneIsConfigured() throws IOException {
    process("RANK=1");
    assertThat(found(evidence()).dump()).isEqualTo(DumpState.NONE);
    assertThat(container.asked).isFalse();
  }

  @Test
  void shouldFindTheProcessWhereTheContainerCannotBeLookedInto() {
    container.broken = new IOException("errno 13");
    assertThat(found(evidence()).dump()).isEqualTo(DumpState.NONE);
  }

  /** A file system that does not answer must not keep the gang from being frozen. */
  @Test
  void shouldGoOnWithNothingWhenTimeIsOver() {
    var evidence = evidence();
    assertThat(evidence.of("order", POD)).isEmpty();
    now = now.plus(RankEvidence.LIMIT).minusMillis(1);
    assertThat(evidence.of("order", POD)).isEmpty();
    now = now.plusMillis(1);
    assertThat(evidence.of("order", POD)).contains(List.of());
    threads.removeFirst().run();
    assertThat(evidence.of("order", POD)).as("the gang is frozen by then").contains(List.of());
  }

  @Test
  void shouldLeaveThreadsThatHangBehindAndStartNoMoreThanSome() {
    var evidence = evidence();
    int begun = 0;
    for (int i = 0; i < 40; i++) {
      begun += evidence.of("order-" + i, POD).isEmpty() ? 1 : 0;
    }
    assertThat(begun).isEqualTo(threads.size()).isEqualTo(16);
    threads.removeFirst().run();
    assertThat(evidence.of("another", POD)).isEmpty();
  }

  @Test
  void shouldLookOnceForAnOrderAndForgetWithIt() {
    var evidence = evidence();
    assertThat(evidence.found("order", POD)).as("does not begin").isEmpty();
    assertThat(threads).isEmpty();
    found(evidence);
    assertThat(evidence.found("order", POD)).hasSize(1);
    assertThat(threads).isEmpty();
    evidence.retain(Set.of("order"));
    assertThat(evidence.found("order", POD)).hasSize(1);
    evidence.retain(Set.of("other"));
    assertThat(evidence.found("order", POD)).isEmpty();
  }

  @Test
  void shouldHaveTimeLeftToReport() {
    assertThat(RankEvidence.LIMIT).isLessThan(Duration.ofSeconds(5));
  }
}
