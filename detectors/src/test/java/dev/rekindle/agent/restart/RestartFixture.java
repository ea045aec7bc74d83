package dev.rekindle.agent.restart;

import static dev.rekindle.api.RestartInstruction.FREEZE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The loop that restarts in place, with a gang of two pods on its node. */
abstract class RestartFixture {
  static final String LEADER = "master-uid";
  @TempDir Path directory;
  Gang gang = new Gang(Path.of("/replaced"));

  @BeforeEach
  void start() {
    gang.close();
    gang = new Gang(directory.resolve("notes"));
    gang.job("job", "true");
    gang.pod("master", "m1");
    gang.pod("worker", "w1");
    gang.round();
  }

  @AfterEach
  void close() {
    gang.close();
  }

  RestartReportSpec report() {
    return Objects.requireNonNull(gang.report());
  }

  static PodRestart entry(String pod, String container, String how, State state) {
    return new PodRestart(pod, pod + "-uid", container, 0, how, state);
  }

  FakeNode.State state(String container) {
    return Objects.requireNonNull(gang.node.containers.get(container));
  }

  void frozen() {
    gang.say(FREEZE, LEADER);
    gang.round();
    assertThat(report().done()).isEqualTo(FREEZE);
  }
}
