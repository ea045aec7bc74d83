package dev.rekindle.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReportNameTest {
  private static final String UID = "0a1b2c3d-4e5f-6789-abcd-ef0123456789";

  @ParameterizedTest
  @CsvSource({
    "demo-worker-0, node-1, demo-worker-0-0a1b2c3d.node-1",
    "demo-worker-0, a.b, demo-worker-0-0a1b2c3d.a.b",
    "demo.v2-worker-0, b, demo-v2-worker-0-0a1b2c3d.b"
  })
  void shouldEndInTheNodeAfterTheFirstDot(String pod, String node, String name) {
    assertThat(ReportName.ofPod(pod, UID, node)).isEqualTo(name);
    assertThat(name.substring(name.indexOf('.') + 1)).isEqualTo(node);
  }

  @Test
  void shouldShareNoNameBetweenNodesWhoseNamesEndAlike() {
    Set<String> names = new HashSet<>();
    for (String order : List.of("x", "x.a", "x.a.b")) {
      for (String node : List.of("b", "a.b", "a")) {
        names.add(ReportName.ofOrder(order, node));
      }
    }
    assertThat(names).hasSize(9);
    assertThat(ReportName.ofOrder("x.a", "b")).isNotEqualTo(ReportName.ofOrder("x", "a.b"));
  }

  @Test
  void shouldFitTheLongestNames() {
    String node =
        "n".repeat(60) + "." + "m".repeat(60) + "." + "o".repeat(60) + "." + "p".repeat(60);
    String other = node.substring(1) + "q";

    String name = ReportName.ofPod("w".repeat(253), UID, node);
    assertThat(name).hasSize(253).doesNotEndWith("p");
    assertThat(name.substring(name.indexOf('.') + 1)).startsWith(node.substring(0, 171) + "-");
    assertThat(ReportName.ofOrder("o".repeat(253), node))
        .hasSizeLessThanOrEqualTo(253)
        .isNotEqualTo(ReportName.ofOrder("o".repeat(253), other));
    assertThat(ReportName.ofOrder("o".repeat(253), "node-1")).hasSize(253).endsWith(".node-1");
  }

  @Test
  void shouldDistinguishPodsOfOneName() {
    assertThat(ReportName.ofPod("demo-worker-0", "1111111122", "n"))
        .isNotEqualTo(ReportName.ofPod("demo-worker-0", "2222222211", "n"));
    assertThat(ReportName.ofPod("demo-worker-0", "u", "n")).isEqualTo("demo-worker-0-u.n");
  }
}
