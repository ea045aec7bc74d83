package dev.rekindle.detect.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What {@code explain} prints. */
class ExplainOutputTest extends JudgeFixture {
  @Test
  void shouldExplainFromTheDataAndTheRules() {
    assertThat(explain("xid", "79")).isZero();
    assertThat(explain("SXID-20034")).isZero();
    assertThat(explain("nic", "health-lost")).isZero();
    assertThat(explain("xid", "13,31", "999")).isZero();
    // Long lines are wrapped.
    assertThat(out.toString(StandardCharsets.UTF_8).replaceAll("\\s+", " "))
        .contains("xid 79: GPU fell off the PCIe bus")
        .contains("fence: the node is cordoned")
        .contains("reboot_node: reboot the node")
        .contains("sxid 20034: NVSwitch")
        .contains("mlx5 health-lost: the firmware of the NIC")
        .contains("fences at 2 owners hit in the same unit within 24 h")
        .contains("xid 31:")
        .contains("xid 999: not in the catalogue");
    assertThat(explain()).isEqualTo(2);
    assertThat(explain("gpu", "79")).isEqualTo(2);
    assertThat(explain("xid", "many")).isEqualTo(2);
  }

  @Test
  void shouldExplainOurOwnWords() throws IOException {
    assertThat(explain("NoCapacity")).isZero();
    assertThat(explain("breakeropen")).isZero();
    assertThat(explain("NVML-GPU-LOST")).isZero();
    assertThat(explain("MLX5-HEALTH-LOST")).isZero();
    assertThat(explain("RekindleNoLeader")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("NoCapacity (hold): the whole gang has no place")
        .contains("BreakerOpen (hold):")
        .contains("BreakerOpen (event):")
        .contains("NVML-GPU-LOST (fault):")
        .contains("mlx5 health-lost: the firmware of the NIC")
        .contains("diagnosis")
        .doesNotContainPattern("(?m)^.{111,}$");
    out.reset();
    assertThat(explain("holds")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8).lines()).hasSize(13);
    out.reset();
    assertThat(explain("events", "--json")).isZero();
    assertThat(objects())
        .hasSizeGreaterThan(40)
        .allMatch(e -> e.get("kind").asText().equals("event"));
    assertThat(explain("NoSuchWord")).isEqualTo(2);
  }

  @Test
  void shouldListAllCodesAndExplainAsJson() throws IOException {
    assertThat(explain("xid")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8).lines()).hasSize(176);
    out.reset();
    assertThat(explain("sxid", "--json")).isZero();
    assertThat(objects()).hasSize(400).allMatch(code -> !code.get("rekindle").isEmpty());
  }
}
