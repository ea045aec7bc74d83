package dev.rekindle.detect.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.MainThread;
import dev.rekindle.api.RankActivity;
import dev.rekindle.api.RankDevice;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.Frame;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.detect.ncclog.LogFact.GilStuck;
import dev.rekindle.detect.ncclog.LogFact.WatchdogStuck;
import dev.rekindle.detect.ncclog.LoggedLine;
import dev.rekindle.detect.pod.TrainingContainer;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.python.MainStack;
import java.io.IOException;
import java.io.UncheckedIOException;
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

  private static final Instant USED = Instant.EPOCH.plus(GangEvidence.WINDOW);

  @TempDir Path proc;
  private Instant now = Instant.EPOCH;
  private Happening whileLooking = () -> {};
  private final PodLines lines = new PodLines();
  private final Container container = new Container();
  private final List<Runnable> threads = new ArrayList<>();
  private final Map<Long, MainStack> stacks = new HashMap<>();
  private final Map<Long, RankDevice> devices = new HashMap<>();
  private boolean looking;

  /** What a rank does between two samples. */
  private interface Happening {
    void happen() throws IOException;
  }

  /** A container whose rank writes its dump some polls after it was asked. */
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
    public Optional<Stamp> stamp(long pid, String path) throws IOException {
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
    process(10, environment);
  }

  private void process(int pid, String environment) throws IOException {
    var task = Files.createDirectories(proc.resolve(pid + "/task/" + pid));
    Files.writeString(task.resolve("stat"), pid + " (python) S 1 1");
    Files.writeString(proc.resolve(pid + "/cgroup"), "0::/" + CONTAINER);
    Files.writeString(proc.resolve(pid + "/environ"), environment + "\0");
  }

  private static MainStack thread(int line, boolean compiles) {
    return new MainStack(List.of(new Frame("fetch", "dataset.py", line)), compiles);
  }

  private GangEvidence evidence() {
    return new GangEvidence(
        proc,
        proc.resolve("cgroup"),
        container,
        pid -> stacks.getOrDefault(pid, MainStack.UNKNOWN),
        lines,
        pid -> Optional.ofNullable(devices.get(pid)),
        () -> now,
        this::start,
        time -> {
          now = now.plus(time);
          try {
            whileLooking.happen();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /** Threads that inspect pods wait for the test; what those start runs at once. */
  private void start(Runnable thread) {
    if (looking) {
      thread.run();
    } else {
      threads.add(thread);
    }
  }

  private void run(Runnable thread) {
    looking = true;
    thread.run();
    looking = false;
  }

  private RankEvidence found(GangEvidence evidence) {
    assertThat(evidence.of("order", POD)).as("begins, and does not wait").isEmpty();
    run(threads.removeFirst());
    return evidence.of("order", POD).orElseThrow().getFirst();
  }

  @Test
  void shouldRequestADumpAndWaitUntilItIsThere() {
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
  void shouldCountTheRanksThatItDoesNotShow() throws IOException {
    for (int rank = 2; rank <= 70; rank++) {
      process(100 + rank, "RANK=%d\0WORLD_SIZE=71".formatted(rank));
    }
    var evidence = evidence();
    assertThat(evidence.leftOut("order", POD)).isZero();
    found(evidence);
    assertThat(evidence.found("order", POD)).hasSize(64);
    assertThat(evidence.leftOut("order", POD)).isEqualTo(6);
    assertThat(evidence.leftOut("another", POD)).isZero();
  }

  @Test
  void shouldAddWhereTheMainThreadStands() {
    var loads = List.of(new Frame("fetch", "dataset.py", 12));
    stacks.put(10L, new MainStack(loads, false));
    assertThat(found(evidence()).stack()).isEqualTo(loads);
    assertThat(found(evidence()).compiles()).isNull();
  }

  @Test
  void shouldAddNoStackOfARankThatMoves() {
    stacks.put(10L, thread(12, true));
    whileLooking = () -> stacks.put(10L, thread(13, false));
    var found = found(evidence());
    assertThat(found.stack()).isEmpty();
    assertThat(found.compiles()).isTrue();
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

  /** The threads that would write it are stopped too. */
  @Test
  void shouldWaitForNoDumpOfAProcessThatIsStopped() throws IOException {
    Files.writeString(proc.resolve("10/task/10/stat"), "10 (python) T 1 1");
    container.takes = Integer.MAX_VALUE;

    var found = found(evidence());

    assertThat(found.process()).isEqualTo(ProcessState.STOPPED);
    assertThat(found.dump()).isEqualTo(DumpState.MISSING);
    assertThat(now).isEqualTo(USED);
  }

  @Test
  void shouldWaitForNoDumpWhereThereIsNoPipe() {
    container.listens = false;
    assertThat(found(evidence()).dump()).isEqualTo(DumpState.NONE);
    assertThat(now).as("no longer than what it uses takes").isEqualTo(USED);
  }

  @Test
  void shouldWaitForNoDumpWhereNoneIsConfigured() throws IOException {
    process("RANK=1");
    assertThat(found(evidence()).dump()).isEqualTo(DumpState.NONE);
    assertThat(container.asked).isFalse();
  }

  @Test
  void shouldFindTheProcessWhereTheContainerCannotBeEntered() {
    container.broken = new IOException("errno 13");
    assertThat(found(evidence()).dump()).isEqualTo(DumpState.NONE);
  }

  /** A file system that does not answer must not keep the gang from being frozen. */
  @Test
  void shouldContinueWithNothingWhenTimeIsOver() {
    var evidence = evidence();
    assertThat(evidence.of("order", POD)).isEmpty();
    now = now.plus(RankEvidence.LIMIT).minusMillis(1);
    assertThat(evidence.of("order", POD)).isEmpty();
    now = now.plusMillis(1);
    assertThat(evidence.of("order", POD)).contains(List.of());
    run(threads.removeFirst());
    assertThat(evidence.of("order", POD)).as("the gang is frozen by then").contains(List.of());
  }

  @Test
  void shouldLeaveThreadsThatHangBehindAndStartNoMoreThanSome() {
    var evidence = evidence();
    for (int i = 0; i < 1_000; i++) {
      evidence.of("order-" + i, pod("team-" + i % 100));
    }
    assertThat(threads).hasSize(20);
    assertThat(evidence.of("another", POD)).isEmpty();
    assertThat(threads).hasSize(20);
    run(threads.removeFirst());
    assertThat(evidence.of("another", POD)).isEmpty();
    assertThat(threads).as("one has ended, in time").hasSize(20);
    now = Instant.EPOCH.plus(GangEvidence.PATIENCE);
    assertThat(evidence.of("order-999", pod("team-99"))).as("too late").contains(List.of());
    assertThat(threads).hasSize(20);
  }

  /** Who has a file server that does not answer can have as many pods wait for it. */
  @Test
  void shouldInspectPodsOfOthersWhenThoseOfOneNamespaceHang() {
    var evidence = evidence();
    for (int i = 0; i < 40; i++) {
      evidence.of("order-" + i, pod("other"));
    }
    assertThat(threads).hasSize(8);
    assertThat(evidence.of("another", POD)).isEmpty();
    run(threads.removeLast());
    assertThat(evidence.of("another", POD).orElseThrow()).hasSize(1);
  }

  @Test
  void shouldInspectPodsOfAThirdNamespaceWhenThoseOfTwoHang() {
    var evidence = evidence();
    for (int i = 0; i < 40; i++) {
      evidence.of("order-" + i, pod("other-" + i % 2));
    }
    assertThat(threads).hasSizeLessThan(16);
    assertThat(evidence.of("another", POD)).isEmpty();
    run(threads.removeLast());
    assertThat(evidence.of("another", POD).orElseThrow()).hasSize(1);
  }

  private static TrainingPod pod(String namespace) {
    return new TrainingPod(
        namespace,
        POD.name(),
        namespace + "-uid",
        POD.job(),
        POD.jobUid(),
        POD.created(),
        false,
        false,
        POD.container(),
        Set.of());
  }

  @Test
  void shouldInspectOnceForAnOrderAndForgetWithIt() {
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

  private void uses(int pid, int ticks, int main, long bytes) throws IOException {
    var stat = "%d (python (x)) %s 1 1 1 0 -1 0 0 0 0 0 %d 0 0 0 20 0 9\n";
    var own = Files.createDirectories(proc.resolve(pid + "/task/" + pid));
    Files.writeString(proc.resolve(pid + "/stat"), stat.formatted(pid, "S", ticks));
    Files.writeString(own.resolve("stat"), stat.formatted(pid, "D", main));
    Files.writeString(
        proc.resolve(pid + "/io"), "rchar: 9\nread_bytes: %d\nwrite_bytes: 1\n".formatted(bytes));
  }

  /** Of the rank and of what it has started, before it is asked for a dump. */
  @Test
  void shouldSeeWhatARankUsesMeanwhile() throws IOException {
    container.listens = false;
    uses(10, 100, 50, 1000);
    Files.createDirectories(proc.resolve("11/task/11"));
    Files.writeString(proc.resolve("11/cgroup"), "0::/" + CONTAINER);
    Files.writeString(proc.resolve("11/environ"), "RANK=1\0");
    uses(11, 7, 7, 10);
    whileLooking =
        () -> {
          uses(10, 140, 80, 5000);
          uses(11, 9, 9, 10);
        };
    assertThat(found(evidence()).activity())
        .isEqualTo(new RankActivity(500, 420, 300, 4000, MainThread.BLOCKED, 1, 1));
  }

  @Test
  void shouldBelieveTheCgroupOfTheOnlyRankWhereThatCountsMore() throws IOException {
    container.listens = false;
    uses(10, 100, 50, 0);
    var cgroup = Files.createDirectories(proc.resolve("cgroup/cpuacct/" + CONTAINER));
    Files.writeString(cgroup.resolve("cpuacct.usage"), "1000000000");
    whileLooking = () -> Files.writeString(cgroup.resolve("cpuacct.usage"), "1450000000");
    assertThat(found(evidence()).activity())
        .isEqualTo(new RankActivity(500, 450, 0, 0, MainThread.BLOCKED, 1, 1));
  }

  @Test
  void shouldSayHowBusyTheGpuOfARankIs() throws IOException {
    container.listens = false;
    var device = new RankDevice("0000:3b:00", 100, 1, 240, 38, 610);
    devices.put(10L, device);
    assertThat(found(evidence()).device()).isEqualTo(device);
    devices.clear();
    assertThat(found(evidence()).device()).isNull();
  }

  @Test
  void shouldReadTheAddressesOfItsNetwork() throws IOException {
    container.listens = false;
    assertThat(found(evidence()).addresses()).isEmpty();
    Files.createDirectories(proc.resolve("10/net"));
    Files.writeString(
        proc.resolve("10/net/fib_trie"),
        """
        Main:
          +-- 0.0.0.0/0 3 0 5
             |-- 0.0.0.0
                /0 universe UNICAST
             |-- 10.244.0.0
                /24 link UNICAST
             |-- 10.244.0.7
                /32 host LOCAL
             |-- 10.244.0.255
                /32 link BROADCAST
             |-- 127.0.0.1
                /32 host LOCAL
        Local:
             |-- 10.244.0.7
                /32 host LOCAL
             |-- 192.168.3.4
                /32 host LOCAL
        """);
    var evidence = evidence();
    assertThat(evidence.of("third", POD)).isEmpty();
    run(threads.removeLast());
    assertThat(evidence.of("third", POD).orElseThrow().getFirst().addresses())
        .containsExactly("10.244.0.7", "192.168.3.4");
  }

  @Test
  void shouldSeeNothingOfARankThatEndsMeanwhile() throws IOException {
    container.listens = false;
    uses(10, 100, 50, 0);
    whileLooking = () -> Files.delete(proc.resolve("10/task/10/stat"));
    assertThat(found(evidence()).activity()).isNull();
  }

  @Test
  void shouldSayNothingOfWhatARankUsesThatWasSeenOnce() throws IOException {
    container.listens = false;
    Files.writeString(proc.resolve("10/task/10/stat"), "10 (");
    Files.createDirectories(proc.resolve("10/task/11"));
    Files.writeString(proc.resolve("10/task/11/stat"), "11 (python) S 1 1");
    whileLooking = () -> uses(10, 100, 50, 0);
    assertThat(found(evidence()).activity()).isNull();
  }

  @Test
  void shouldHaveTimeLeftToReport() {
    assertThat(RankEvidence.LIMIT).isLessThan(Duration.ofSeconds(5));
  }
}
