package dev.rekindle.detect.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Counters of a port. */
class NicCountersTest extends NicEvaluatorFixture {

  @ParameterizedTest
  @CsvSource({
    // counter, growth in 10 s that is allowed, growth that is not
    "excessive_buffer_overrun_errors, 0, 1",
    "local_link_integrity_errors, 0, 1",
    "rnr_nak_retry_err, 0, 1",
    "symbol_error, 100, 101",
    "link_error_recovery, 0, 1",
    "port_rcv_errors, 100, 101",
    "local_ack_timeout_err, 10, 11",
    "port_xmit_discards, 1000, 1001",
    "roce_slow_restart, 100, 101"
  })
  void shouldWatchCountersThatGrowTooFast(String counter, long allowed, long tooMuch) {
    sys.hardwareCounter("mlx5_0", counter, 1000);
    poll();
    sys.hardwareCounter("mlx5_0", counter, 1000 + allowed);
    poll(Duration.ofSeconds(10));
    assertThat(reported).isEmpty();
    sys.hardwareCounter("mlx5_0", counter, 1000 + allowed + tooMuch);
    poll(Duration.ofSeconds(10));
    assertThat(reported).hasSize(1).allMatch(one -> one.endsWith("NEVER"));
    assertThat(reported.getFirst())
        .contains("NIC-" + counter.replace('_', '-').toUpperCase(Locale.ROOT));
  }

  @Test
  void shouldCountSlowSymbolErrorsByTheHour() {
    poll();
    for (int i = 1; i <= 30; i++) {
      sys.counter("mlx5_0", "symbol_error", i * 4L);
      poll(Duration.ofMinutes(1));
    }
    assertThat(reported).isEmpty();
    sys.counter("mlx5_0", "symbol_error", 121);
    poll(Duration.ofMinutes(1));
    assertThat(reported).containsExactly(PORT + " NIC-SYMBOL-ERROR NEVER");
    poll(Duration.ofMinutes(1));
    assertThat(reported).hasSize(1);
  }

  @Test
  void shouldCallThePortBadAfterThreePollsWithErrors() {
    sys.counter("mlx5_0", "port_rcv_errors", 0);
    poll();
    for (int i = 1; i <= 2; i++) {
      sys.counter("mlx5_0", "port_rcv_errors", i * 10_000L);
      poll(Duration.ofMinutes(10));
    }
    assertThat(reported).noneMatch(one -> one.contains("NIC-PORT-ERRORS"));
    sys.counter("mlx5_0", "port_rcv_errors", 30_000);
    poll(Duration.ofMinutes(10));
    assertThat(reported).contains(PORT + " NIC-PORT-ERRORS THRESHOLD");
    // The driver was loaded again.
    sys.counter("mlx5_0", "port_rcv_errors", 0);
    poll();
    assertThat(cleared)
        .containsExactlyInAnyOrder(
            PORT + " [NIC-PORT-ERRORS] probe", PORT + " [NIC-PORT-RCV-ERRORS] probe");
  }
}
