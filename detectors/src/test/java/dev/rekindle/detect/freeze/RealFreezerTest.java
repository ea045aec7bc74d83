package dev.rekindle.detect.freeze;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real processes in real cgroups of this machine; skipped where those cannot be made. */
class RealFreezerTest {
  private static final Path CGROUP = Path.of("/sys/fs/cgroup");
  private static final Path PROC = Path.of("/proc");

  /** Counts in two processes, each into a file; one is the child of the other. */
  private static final String COUNTERS =
      """
      count() { i=0; while :; do i=$((i+1)); echo $i > "$1"; done; }
      count "$0/child" &
      count "$0/parent"
      """;

  @TempDir Path counts;
  private final List<Path> groups = new ArrayList<>();
  private final List<ProcessHandle> family = new ArrayList<>();
  private String id = "";

  @BeforeEach
  void name() {
    var bytes = new byte[32];
    ThreadLocalRandom.current().nextBytes(bytes);
    id = HexFormat.of().formatHex(bytes);
  }

  @AfterEach
  void clean() throws IOException {
    for (var one : family) {
      one.destroyForcibly();
    }
    for (var group : groups.reversed()) {
      thaw(group.resolve(GroupV1.STATE), "THAWED");
      thaw(group.resolve(GroupV2.FREEZE), "0");
    }
    for (var group : groups.reversed()) {
      await("an empty " + group, () -> group.toFile().delete());
    }
  }

  private static void thaw(Path file, String word) throws IOException {
    if (Files.exists(file)) {
      Group.write(file, word);
    }
  }

  private static Optional<Path> top(String version) {
    if (version.equals(GroupV1.HOW)) {
      return Optional.of(CGROUP.resolve("freezer")).filter(Files::isDirectory);
    }
    return List.of(CGROUP, CGROUP.resolve("unified")).stream()
        .filter(top -> Files.exists(top.resolve("cgroup.controllers")))
        .findFirst();
  }

  private Path group(String version, String name) {
    var top = top(version);
    Assumptions.assumeTrue(top.isPresent(), "there is no " + version + " here");
    var path = top.orElseThrow();
    for (var part : name.split("/", -1)) {
      path = path.resolve(part);
      if (!Files.isDirectory(path)) {
        Assumptions.assumeTrue(path.toFile().mkdir(), "no group can be made in " + version);
        groups.add(path);
      }
    }
    return path;
  }

  /** Starts the counters and moves them into the groups. */
  private void start(@Nullable Path... into) throws IOException {
    var parent =
        new ProcessBuilder("/bin/sh", "-c", COUNTERS, counts.toString()).inheritIO().start();
    family.add(parent.toHandle());
    await("both counters", () -> count("child") > 0 && count("parent") > 0);
    parent.descendants().forEach(family::add);
    for (var group : into) {
      if (group != null) {
        for (var one : family) {
          join(group, one);
        }
      }
    }
  }

  private static void join(Path group, ProcessHandle process) throws IOException {
    Files.write(
        group.resolve("cgroup.procs"),
        String.valueOf(process.pid()).getBytes(StandardCharsets.US_ASCII),
        StandardOpenOption.WRITE);
  }

  private long count(String who) {
    try {
      var text = Files.readString(counts.resolve(who)).strip();
      return text.isEmpty() ? -1 : Long.parseLong(text);
    } catch (IOException notYet) {
      return -1;
    }
  }

  @FunctionalInterface
  private interface Condition {
    boolean holds() throws IOException;
  }

  private static void await(String what, Condition condition) throws IOException {
    var end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.holds()) {
      assertThat(System.nanoTime()).as("waited 60 s for " + what).isLessThan(end);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private void assertStill() {
    var texts = List.of(read("child"), read("parent"));
    LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
    assertThat(List.of(read("child"), read("parent"))).isEqualTo(texts);
  }

  private String read(String who) {
    try {
      return Files.readString(counts.resolve(who));
    } catch (IOException e) {
      return e.toString();
    }
  }

  private void assertRuns() throws IOException {
    var child = count("child");
    var parent = count("parent");
    await("the counters", () -> count("child") > child && count("parent") > parent);
  }

  private void assertDead() throws IOException {
    for (var one : family) {
      await("the end of " + one.pid(), () -> !one.isAlive());
    }
  }

  private void freezeThawFreezeKill(String how) throws IOException {
    var freezer = new ContainerFreezer(CGROUP, PROC);
    assertRuns();
    await("frozen", () -> freezer.freeze(id) == Outcome.DONE);
    assertThat(freezer.how(id)).isEqualTo(how);
    assertStill();
    assertThat(freezer.thaw(id, how)).isEqualTo(Outcome.DONE);
    assertRuns();
    await("frozen again", () -> freezer.freeze(id) == Outcome.DONE);
    assertStill();
    assertThat(freezer.hasProcesses(id)).isTrue();
    // Another agent, after a restart: it knows nothing but the id.
    var other = new ContainerFreezer(CGROUP, PROC);
    await("dead", () -> other.kill(id) == Outcome.DONE);
    assertDead();
    assertThat(other.hasProcesses(id)).isFalse();
    assertThat(other.freeze(id)).isEqualTo(Outcome.GONE);
  }

  @ParameterizedTest
  @ValueSource(strings = {GroupV1.HOW, GroupV2.HOW})
  void shouldFreezeAndKillWhatIsFrozen(String version) throws IOException {
    start(group(version, id));
    freezeThawFreezeKill(version);
  }

  @ParameterizedTest
  @ValueSource(strings = {GroupV1.HOW, GroupV2.HOW})
  void shouldHoldNestedGroupsAsWell(String version) throws IOException {
    var outer = group(version, "cri-containerd-" + id + ".scope");
    start(outer);
    join(group(version, "cri-containerd-" + id + ".scope/a/b"), family.getLast());
    freezeThawFreezeKill(version);
  }

  @ParameterizedTest
  @ValueSource(strings = {GroupV1.HOW, GroupV2.HOW})
  void shouldKillWhatRuns(String version) throws IOException {
    start(group(version, id));
    var freezer = new ContainerFreezer(CGROUP, PROC);
    await("dead", () -> freezer.kill(id) == Outcome.DONE);
    assertDead();
  }

  @Test
  void shouldTakeTheVersionThatHoldsAllOfItWhenBothAreMounted() throws IOException {
    var v1 = group(GroupV1.HOW, id);
    var v2 = group(GroupV2.HOW, id);
    start(v1);
    join(v2, family.getFirst());
    freezeThawFreezeKill(GroupV1.HOW);
  }

  @Test
  void shouldLeaveCriOsMonitorAlone() throws IOException {
    start(group(GroupV1.HOW, "crio-conmon-" + id + ".scope"));
    var freezer = new ContainerFreezer(CGROUP, PROC);
    assertThat(freezer.freeze(id)).isEqualTo(Outcome.GONE);
    assertThat(freezer.kill(id)).isEqualTo(Outcome.GONE);
    assertRuns();
  }

  /** A hierarchy without a freezer names the processes, and signals do the rest. */
  @Test
  void shouldStopBySignalsWhereThereIsNoFreezer(@TempDir Path nothing) throws IOException {
    start(group(GroupV1.HOW, id));
    var freezer = new ContainerFreezer(nothing, PROC);
    await("stopped", () -> freezer.freeze(id) == Outcome.DONE);
    assertThat(freezer.how(id)).isEqualTo("SIGSTOP");
    assertStill();
    assertThat(freezer.thaw(id, "SIGSTOP")).isEqualTo(Outcome.DONE);
    assertRuns();
    await("stopped again", () -> freezer.freeze(id) == Outcome.DONE);
    assertStill();
    await("dead", () -> freezer.kill(id) == Outcome.DONE);
    assertDead();
  }

  @Test
  void shouldLeaveStoppedWhatAUserStoppedWhenItThaws() throws IOException {
    start(group(GroupV1.HOW, id));
    var signals = new KernelSignals();
    for (var one : family) {
      signals.send(one.pid(), SignalSender.STOP);
    }
    var freezer = new ContainerFreezer(CGROUP, PROC);
    await("frozen", () -> freezer.freeze(id) == Outcome.DONE);
    freezer.thaw(id, GroupV1.HOW);
    assertStill();
    await("frozen", () -> freezer.freeze(id) == Outcome.DONE);
    await("dead", () -> freezer.kill(id) == Outcome.DONE);
    assertDead();
  }

  @Test
  void shouldSendNoSignalToGroupsOrInit() {
    var signals = new KernelSignals();
    for (var process : new long[] {-1, 0, 1, 1L << 32}) {
      assertThatThrownBy(() -> signals.send(process, 0)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void shouldNotMindProcessesThatAreGone() throws IOException {
    // Beyond the largest number that Linux gives out.
    new KernelSignals().send(5_000_000, SignalSender.KILL);
  }
}
