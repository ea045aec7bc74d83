package dev.rekindle.controller.kubernetes.convert;

import static dev.rekindle.controller.kubernetes.convert.SpiderpoolReaderTest.pool;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.network.PoolView;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pools of addresses. */
class SpiderpoolPoolsTest {

  @Test
  void shouldReadAPool() {
    PoolView pool =
        pool(
            """
            spec:
              ipVersion: 4
              subnet: 10.250.1.0/24
              ips: [10.250.1.10-10.250.1.13]
              nodeAffinity: {matchLabels: {leaf: a}}
              multusName: [spiderpool/gpu1]
              default: false
            status:
              allocatedIPCount: 1
              allocatedIPs: '{"10.250.1.10":{"pod":"train/j1-master-0","podUid":"3908"}}'
              totalIPCount: 4
            """);

    assertThat(pool.bookings()).containsExactly(new PoolView.Booking("train/j1-master-0", "3908"));
    assertThat(pool.free(List.of())).hasValue(3);
    assertThat(pool.free(List.of("3908"))).hasValue(4);
    assertThat(pool.free(List.of("another"))).hasValue(3);
    assertThat(pool.fitsNode("node-0", Map.of("leaf", "a"))).isTrue();
    assertThat(pool.fitsNode("node-0", Map.of("leaf", "b"))).isFalse();
    assertThat(pool.fitsNetwork("spiderpool/gpu1")).isTrue();
    assertThat(pool.fitsNetwork("spiderpool/gpu2")).isFalse();
  }

  @Test
  void shouldPreferTheNamesOfNodesToTheirLabels() {
    PoolView pool =
        pool("spec: {ips: [10.0.0.1], nodeName: [node-3], nodeAffinity: {matchLabels: {leaf: a}}}");

    assertThat(pool.fitsNode("node-3", Map.of())).isTrue();
    assertThat(pool.fitsNode("node-0", Map.of("leaf", "a"))).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[10.0.0.1-10.0.0.10] | [] | 10",
        "[10.0.0.1-10.0.0.10, 10.0.0.5-10.0.0.12] | [10.0.0.2, 10.0.0.9-10.0.0.99] | 7",
        "['fd00::1-fd00::ff'] | ['fd00::2'] | 254",
        "[] | [] | 0"
      })
  void shouldCountAddressesThatNoStatusCounts(String ips, String without, long expected) {
    PoolView pool = pool("spec: {ips: %s, excludeIPs: %s}".formatted(ips, without));

    assertThat(pool.free(List.of())).hasValue(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "status: {totalIPCount: 4, allocatedIPs: 'broken'}",
        "status: {totalIPCount: 4, allocatedIPs: '[1]'}",
        "status: {totalIPCount: 4, allocatedIPs: 7}",
        "spec: {ips: [some.host.name]}",
        "spec: {}",
        "status: {totalIPCount: -1}"
      })
  void shouldTakeForUnknownAndNotForFullWhatCannotBeRead(String yaml) {
    assertThat(pool(yaml).free(List.of())).isEmpty();
  }

  @Test
  void shouldTakeAPoolThatIsNotUsedForEmpty() {
    assertThat(pool("status: {totalIPCount: 4}").free(List.of())).hasValue(4);
    assertThat(pool("spec: {disable: true}").closed()).isTrue();
  }
}
