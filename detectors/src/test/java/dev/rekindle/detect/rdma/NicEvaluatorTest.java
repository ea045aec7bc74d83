package dev.rekindle.detect.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.detect.state.StateFolder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Verdicts on ports. */
class NicEvaluatorTest extends NicEvaluatorFixture {
  @Test
  void shouldFenceForAPortThatIsDownFourMinutesAndKeepItTenAfter() {
    poll();
    sys.down("mlx5_0");
    poll();
    lookFor(Duration.ofSeconds(225));
    assertThat(reported).isEmpty();
    var decision = poll();
    assertThat(reported).containsExactly(PORT + " NIC-PORT-DOWN ALWAYS");
    var observation = decision.observations().getFirst();
    assertThat(observation.fault().componentType()).isEqualTo(ComponentType.NIC);
    assertThat(observation.fault().detector()).isEqualTo("nic");
    // mlx5_1 has the lower address.
    assertThat(observation.unit()).isEqualTo("rail 1");
    assertThat(observation.fault().evidence()).startsWith("rail 1: down since").contains("1: DOWN");
    sys.up("mlx5_0");
    poll();
    lookFor(Duration.ofSeconds(585));
    assertThat(cleared).isEmpty();
    poll();
    assertThat(cleared).containsExactly(PORT + " [NIC-PORT-DOWN] probe");
    assertThat(reported).allMatch(one -> one.contains("NIC-PORT-DOWN"));
    reported.clear();
    lookFor(Duration.ofMinutes(5));
    assertThat(reported).isEmpty();
  }

  @Test
  void shouldStartOverWhenThePortWasUpInBetween() {
    poll();
    sys.down("mlx5_0");
    poll();
    lookFor(Duration.ofMinutes(3));
    sys.counter("mlx5_0", "link_downed", 1);
    lookFor(Duration.ofMinutes(3));
    assertThat(reported).containsExactly(PORT + " NIC-LINK-DOWNED NEVER");
    lookFor(Duration.ofSeconds(75));
    assertThat(reported).contains(PORT + " NIC-PORT-DOWN ALWAYS");
  }

  @Test
  void shouldNotFenceForAPortThatNeverWasUp() {
    sys.down("mlx5_0");
    lookFor(Duration.ofMinutes(30));
    assertThat(reported).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"30, 3, true", "30, 2, false", "15, 3, false"})
  void shouldCallItFlappingWhenItWasDownAWhileThreeTimes(int down, int times, boolean flaps) {
    poll();
    for (int i = 0; i < times; i++) {
      sys.down("mlx5_0");
      poll();
      sys.up("mlx5_0");
      poll(Duration.ofSeconds(down));
      poll(Duration.ofMinutes(60));
    }
    assertThat(reported.contains(PORT + " NIC-PORT-FLAPPING THRESHOLD")).isEqualTo(flaps);
    poll(Duration.ofHours(12));
    assertThat(cleared).hasSize(flaps ? 1 : 0);
  }

  @Test
  void shouldWatchALinkThatWasLostBetweenTwoPolls() {
    poll();
    sys.counter("mlx5_0", "link_downed", 1);
    poll();
    assertThat(reported).containsExactly(PORT + " NIC-LINK-DOWNED NEVER");
    lookFor(Duration.ofMinutes(59));
    assertThat(cleared).isEmpty();
    lookFor(Duration.ofMinutes(2));
    assertThat(cleared).containsExactly(PORT + " [NIC-LINK-DOWNED] probe");
    assertThat(reported).hasSize(1);
  }

  @Test
  void shouldWatchAPortThatRunsSlowerThanItDid() {
    poll();
    sys.state("mlx5_0", "4: ACTIVE", "5: LinkUp", "200 Gb/sec (2X NDR)");
    poll();
    assertThat(reported).containsExactly(PORT + " NIC-RATE-DEGRADED THRESHOLD");
    sys.up("mlx5_0");
    poll();
    assertThat(cleared).containsExactly(PORT + " [NIC-RATE-DEGRADED] probe");
  }

  @Test
  void shouldStayOneIncidentWhileItHolds() {
    poll();
    sys.down("mlx5_0");
    lookFor(Duration.ofSeconds(255 + 15));
    reported.clear();
    lookFor(NicDecisionBuilder.REPEAT);
    assertThat(reported).hasSize(1);
    assertThat(NicDecisionBuilder.REPEAT).isLessThan(Duration.ofMinutes(3));
  }

  @Test
  void shouldRememberOverARestart() throws IOException {
    var file =
        new StateFolder(directory, new KubernetesSerialization())
            .file("nic-memory", "nic-memory-2", NicMemory.class, 1 << 20);
    assertThat(file.read()).isEmpty();
    poll();
    sys.down("mlx5_0").counter("mlx5_1", "link_downed", 3);
    lookFor(Duration.ofMinutes(3));
    file.write(memory);
    assertThat(file.read()).contains(memory);
    memory = file.read().orElseThrow();
    lookFor(Duration.ofMinutes(1).plusSeconds(15));
    assertThat(reported)
        .containsExactly("mlx5_1/1 NIC-LINK-DOWNED NEVER", PORT + " NIC-PORT-DOWN ALWAYS");
  }
}
