package dev.rekindle.detect.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RankProcessesTest {
  private static final String CONTAINER = "0123456789abcdef0123";
  private static final String RECORDER =
      "TORCH_NCCL_DEBUG_INFO_TEMP_FILE=/old/rank_\0TORCH_FR_DUMP_TEMP_FILE=/fr/rank_\0"
          + "TORCH_NCCL_DEBUG_INFO_PIPE_FILE=/fr/pipe_";

  @TempDir Path proc;

  private void process(int pid, String container, char state, String environment)
      throws IOException {
    var folder = Files.createDirectories(proc.resolve(pid + "/task/" + pid));
    Files.writeString(
        proc.resolve(pid + "/cgroup"), "0::/kubepods/pod1/cri-containerd-" + container + ".scope");
    Files.writeString(folder.resolve("stat"), pid + " (pt_main (x) T) " + state + " 1 1");
    Files.writeString(proc.resolve(pid + "/environ"), environment + "\0");
  }

  private List<RankProcess> ranks() throws IOException {
    return new RankProcesses(proc).of(CONTAINER).ranks();
  }

  @Test
  void shouldFindTheOneRankOfAProcessWithoutALauncher() throws IOException {
    process(1, CONTAINER, 'S', "RANK=3\0WORLD_SIZE=8");
    process(10, CONTAINER, 'S', "RANK=3\0WORLD_SIZE=8\0" + RECORDER);
    process(11, CONTAINER, 'S', "PATH=/bin");
    process(12, "ffffffffffffffff", 'S', "RANK=4");
    assertThat(ranks())
        .as("the shell that started it exports nothing")
        .containsExactly(
            new RankProcess(3, 8, 10, false, "/fr/rank_", "/fr/pipe_", List.of(1L, 10L)));
  }

  @Test
  void shouldTakeTheWorkersOfALauncherAndNotTheLauncher() throws IOException {
    process(10, CONTAINER, 'S', "RANK=1\0WORLD_SIZE=2");
    process(11, CONTAINER, 'R', "RANK=2\0LOCAL_RANK=0\0WORLD_SIZE=4");
    process(12, CONTAINER, 'S', "RANK=3\0LOCAL_RANK=1\0WORLD_SIZE=4");
    assertThat(ranks()).extracting(RankProcess::rank).containsExactly(2, 3);
    assertThat(ranks()).extracting(RankProcess::worldSize).containsOnly(4);
  }

  @Test
  void shouldSeeThatARankOrWhatItHasStartedIsStopped() throws IOException {
    process(11, CONTAINER, 'S', "RANK=2\0LOCAL_RANK=0");
    process(12, CONTAINER, 'T', "RANK=3\0LOCAL_RANK=1");
    process(13, CONTAINER, 'S', "RANK=4\0LOCAL_RANK=2");
    process(14, CONTAINER, 't', "RANK=4\0LOCAL_RANK=2");
    process(15, CONTAINER, 'Z', "RANK=5\0LOCAL_RANK=3");
    assertThat(ranks()).extracting(RankProcess::rank).containsExactly(2, 3, 4);
    assertThat(ranks()).extracting(RankProcess::stopped).containsExactly(false, true, true);
  }

  @Test
  void shouldLeaveWhatIsNoNumberAndNoPath() throws IOException {
    process(11, CONTAINER, 'S', "RANK=abc");
    process(12, CONTAINER, 'S', "RANK=99999999");
    process(13, CONTAINER, 'S', "RANK=-1");
    process(14, CONTAINER, 'S', "RANK=4\0WORLD_SIZE=x\0TORCH_FR_DUMP_TEMP_FILE=relative\0=\0x");
    process(15, CONTAINER, 'S', "RANK=5\0TORCH_FR_DUMP_TEMP_FILE=/" + "x".repeat(5_000));
    assertThat(ranks())
        .containsExactly(
            new RankProcess(4, 0, 14, false, "", "", List.of(14L)),
            new RankProcess(5, 0, 15, false, "", "", List.of(15L)));
  }

  /** What a program says of its ranks must not fill the agent. */
  @Test
  void shouldKeepSoManyRanksAndNoMore() throws IOException {
    for (int i = 0; i < 300; i++) {
      process(1000 + i, CONTAINER, 'S', "RANK=" + i);
    }
    assertThat(ranks()).hasSize(256).last().extracting(RankProcess::rank).isEqualTo(255);
    assertThat(new RankProcesses(proc).of(CONTAINER).leftOut()).isEqualTo(44);
    assertThat(new RankProcesses(proc).of(CONTAINER).first(64).leftOut()).isEqualTo(236);
    process(9000, CONTAINER, 'T', "RANK=7");
    assertThat(ranks().get(7)).returns(1007L, RankProcess::pid).returns(true, RankProcess::stopped);
  }

  @Test
  void shouldReadSoMuchOfAnEnvironmentAndNoMore() throws IOException {
    process(11, CONTAINER, 'S', "A=" + "x".repeat(300_000) + "\0RANK=4");
    assertThat(ranks()).isEmpty();
  }
}
