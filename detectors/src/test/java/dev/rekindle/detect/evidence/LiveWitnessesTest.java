package dev.rekindle.detect.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankDevice;
import dev.rekindle.api.RankReportStatus.Witnesses;
import dev.rekindle.detect.pod.TrainingContainer;
import dev.rekindle.detect.pod.TrainingPod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveWitnessesTest {
  private static final String FIRST = "0123456789abcdef0123";
  private static final String SECOND = "fedcba9876543210fedc";
  private static final String PIPE = "\0TORCH_NCCL_DEBUG_INFO_PIPE_FILE=/fr/pipe_";

  @TempDir Path proc;
  private Instant now = Instant.EPOCH;
  private final Pipes pipes = new Pipes();
  private final List<Runnable> threads = new ArrayList<>();
  private final Map<Long, RankDevice> devices = new HashMap<>();
  private LiveWitnesses witnesses = witnesses(Path.of("replaced"));

  private static final class Pipes implements ContainerFiles {
    final Set<String> read = new HashSet<>(Set.of("/fr/pipe_0.pipe", "/fr/pipe_1.pipe"));
    boolean broken;

    @Override
    public Optional<Stamp> stamp(long pid, String path) {
      throw new AssertionError("must not be read");
    }

    @Override
    public byte[] read(long pid, String path, int most) {
      throw new AssertionError("not to be read");
    }

    @Override
    public boolean poke(long pid, String path) {
      throw new AssertionError("asks for a dump");
    }

    @Override
    public boolean isRead(long pid, String path) throws IOException {
      if (broken) {
        throw new IOException("errno 13");
      }
      return read.contains(path);
    }
  }

  @BeforeEach
  void ranks() throws IOException {
    witnesses = witnesses(proc);
    process(10, FIRST, "RANK=0\0LOCAL_RANK=0" + PIPE);
    process(11, FIRST, "RANK=1\0LOCAL_RANK=1" + PIPE);
  }

  private LiveWitnesses witnesses(Path folder) {
    return new LiveWitnesses(
        new RankProcesses(folder),
        pipes,
        pid -> Optional.ofNullable(devices.get(pid)),
        () -> now,
        threads::add);
  }

  private void process(int pid, String container, String environment) throws IOException {
    var task = Files.createDirectories(proc.resolve(pid + "/task/" + pid));
    Files.writeString(task.resolve("stat"), pid + " (python) S 1 1");
    Files.writeString(proc.resolve(pid + "/cgroup"), "0::/" + container);
    Files.writeString(proc.resolve(pid + "/environ"), environment + "\0");
  }

  private static TrainingPod pod(String uid, String container, boolean running) {
    return pod("team", uid, container, running);
  }

  private static TrainingPod pod(String namespace, String uid, String container, boolean running) {
    return new TrainingPod(
        namespace,
        "worker-1",
        uid,
        "job",
        "job-uid",
        Instant.EPOCH,
        false,
        false,
        new TrainingContainer(container, 0, running),
        Set.of());
  }

  private Optional<Witnesses> ask(boolean steps) {
    return witnesses.of(pod("uid-1", FIRST, true), steps);
  }

  private Optional<Witnesses> inspected() {
    assertThat(threads).hasSize(1);
    threads.removeFirst().run();
    return ask(true);
  }

  @Test
  void shouldInspectOnceWhenAStepWasSeenAndThenEveryTenMinutes() {
    assertThat(ask(false)).isEmpty();
    assertThat(threads).as("its ranks may not have begun").isEmpty();
    assertThat(ask(true)).as("does not wait").isEmpty();
    assertThat(inspected()).contains(new Witnesses(2, 2, 0));
    now = now.plus(Duration.ofMinutes(10)).minusMillis(1);
    assertThat(ask(true)).isPresent();
    assertThat(threads).isEmpty();
    pipes.read.remove("/fr/pipe_1.pipe");
    now = now.plusMillis(1);
    assertThat(ask(true)).as("as it was").contains(new Witnesses(2, 2, 0));
    assertThat(inspected()).contains(new Witnesses(2, 1, 1));
  }

  @Test
  void shouldCountRanksWhoseGpuIsRead() {
    devices.put(11L, new RankDevice("0000:3b:00", 97, 40, 610, null, null));
    devices.put(99L, new RankDevice("0000:3c:00", 97, 40, 610, null, null));
    ask(true);
    assertThat(inspected()).contains(new Witnesses(2, 2, 0, 1));
  }

  /** Often only rank 0 prints steps. */
  @Test
  void shouldInspectAfterTenMinutesWhereNoStepIsShown() {
    ask(false);
    now = now.plus(Duration.ofMinutes(10));
    ask(false);
    assertThat(inspected()).contains(new Witnesses(2, 2, 0));
  }

  @Test
  void shouldCountRanksWithoutAPipeAndNoRankOfAnotherContainer() throws IOException {
    process(12, FIRST, "RANK=2\0LOCAL_RANK=2");
    process(13, SECOND, "RANK=3\0LOCAL_RANK=0" + PIPE);
    process(14, FIRST, "RANK=4\0LOCAL_RANK=4" + PIPE);
    ask(true);
    assertThat(inspected()).contains(new Witnesses(4, 2, 1));
  }

  @Test
  void shouldInspectPodsOfOthersWhenThoseOfOneNamespaceHang() {
    for (int i = 0; i < 9; i++) {
      witnesses.of(pod("other", "other-" + i, SECOND, true), true);
    }
    assertThat(threads).hasSize(3);
    ask(true);
    assertThat(threads).hasSize(4);
    threads.removeLast().run();
    assertThat(ask(true)).contains(new Witnesses(2, 2, 0));
  }

  @Test
  void shouldInspectPodsOfAThirdNamespaceWhenThoseOfTwoHang() {
    for (int i = 0; i < 18; i++) {
      witnesses.of(pod("other-" + i % 2, "other-" + i, SECOND, true), true);
    }
    assertThat(threads).hasSize(4);
    ask(true);
    assertThat(threads).hasSize(5);
    threads.removeLast().run();
    assertThat(ask(true)).contains(new Witnesses(2, 2, 0));
  }

  @Test
  void shouldForgetWhatWasInAnotherRunOfTheContainer() {
    ask(true);
    assertThat(inspected()).isPresent();
    var next = pod("uid-1", SECOND, true);
    assertThat(witnesses.of(next, false)).isEmpty();
    assertThat(threads).isEmpty();
    assertThat(witnesses.of(next, true)).isEmpty();
    assertThat(threads).hasSize(1);
  }

  @Test
  void shouldNotInspectWhatDoesNotRun() {
    assertThat(witnesses.of(pod("uid-1", FIRST, false), true)).isEmpty();
    assertThat(threads).isEmpty();
  }

  @Test
  void shouldSayNothingWhereTheContainerCannotBeEntered() {
    pipes.broken = true;
    ask(true);
    assertThat(inspected()).isEmpty();
    pipes.broken = false;
    now = now.plus(Duration.ofMinutes(10));
    ask(true);
    assertThat(inspected()).isPresent();
  }

  @Test
  void shouldLeaveThreadsThatHangBehindAndStartNoMoreThanSome() {
    for (int i = 0; i < 400; i++) {
      witnesses.of(pod("team-" + i % 40, "uid-" + i, FIRST, true), true);
    }
    now = now.plus(Duration.ofHours(1));
    witnesses.of(pod("team-0", "uid-0", FIRST, true), true);
    assertThat(threads).hasSize(10);
    threads.removeFirst().run();
    witnesses.of(pod("another", FIRST, true), true);
    assertThat(threads).as("one has ended").hasSize(10);
  }

  @Test
  void shouldForgetPodsThatAreGone() {
    ask(true);
    inspected();
    witnesses.retain(Set.of("uid-1"));
    assertThat(ask(true)).isPresent();
    witnesses.retain(Set.of("uid-2"));
    assertThat(ask(true)).isEmpty();
  }

  @Test
  void shouldFindNoRankInAContainerWithoutOne() throws IOException {
    process(10, FIRST, "PATH=/bin");
    process(11, FIRST, "RANK=x");
    ask(true);
    assertThat(inspected()).contains(new Witnesses(0, 0, 0));
  }
}
