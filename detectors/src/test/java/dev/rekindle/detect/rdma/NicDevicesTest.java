package dev.rekindle.detect.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Verdicts on devices, and on rails. */
class NicDevicesTest extends NicEvaluatorFixture {
  private void reboot() {
    polls = new NicEvaluator("node-1", "boot-2", Map.of());
  }

  @Test
  void shouldFenceForADeviceThatFellOffTheBusAfterThreePolls() throws IOException {
    poll();
    sys.remove("mlx5_0", "0000:3b:00.0", true);
    poll();
    poll();
    assertThat(reported).isEmpty();
    var observations = poll().observations();
    assertThat(reported).containsExactly(PORT + " NIC-DEVICE-MISSING ALWAYS");
    assertThat(observations.getFirst().unit()).isEqualTo("rail 1");
    sys.add("mlx5_0", "0000:3b:00.0", "mlx5_core");
    poll();
    assertThat(cleared).containsExactly(PORT + " [NIC-DEVICE-MISSING] probe");
  }

  @Test
  void shouldOnlyWatchADeviceThatWasGivenAway() throws IOException {
    poll();
    sys.remove("mlx5_0", "0000:3b:00.0", false);
    lookFor(Duration.ofMinutes(1));
    assertThat(reported).containsExactly(PORT + " NIC-DEVICE-MISSING THRESHOLD");
  }

  @Test
  void shouldOnlyWatchADeviceThatDidNotComeBackWithTheBoot() throws IOException {
    poll();
    sys.remove("mlx5_0", "0000:3b:00.0", true);
    reboot();
    lookFor(Duration.ofMinutes(1));
    assertThat(reported).containsExactly(PORT + " NIC-DEVICE-MISSING THRESHOLD");
  }

  @Test
  void shouldKeepTheRailsOfTheOthersWhenOneIsGone() throws IOException {
    poll();
    sys.remove("mlx5_1", "0000:19:00.0", true);
    poll();
    sys.counter("mlx5_0", "link_downed", 1);
    assertThat(poll().observations().getFirst().unit()).isEqualTo("rail 1");
  }

  @Test
  void shouldTakeTheRailsOfTheSettings() {
    polls = new NicEvaluator("node-1", "boot-1", Map.of("mlx5_0", 7));
    poll();
    sys.counter("mlx5_0", "link_downed", 1).counter("mlx5_1", "link_downed", 1);
    assertThat(poll().observations()).extracting(one -> one.unit()).containsExactly("rail 7", "");
  }

  @Test
  void shouldClearByTheRebootAndContinueFromWhatThePortCouldDo() {
    poll();
    sys.down("mlx5_0");
    lookFor(Duration.ofMinutes(5));
    reboot();
    poll();
    assertThat(cleared).containsExactly(PORT + " [NIC-PORT-DOWN] reboot");
    reported.clear();
    lookFor(Duration.ofMinutes(5));
    assertThat(reported).as("still down after the boot").contains(PORT + " NIC-PORT-DOWN ALWAYS");
  }

  @Test
  void shouldForgetADeviceThatIsExcludedLater() {
    poll();
    sys.down("mlx5_0");
    lookFor(Duration.ofMinutes(5));
    poll(Duration.ofSeconds(15), "mlx5_0");
    assertThat(cleared).containsExactly(PORT + " [NIC-PORT-DOWN] probe");
    assertThat(memory.ports()).containsOnlyKeys("mlx5_1/1");
  }
}
