package dev.rekindle.detect.rdma;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * How much a counter may grow. The list is that of NVSentinel's NIC monitor; none of it is reason
 * to fence by itself here, since what uses the port may go on, slower.
 *
 * @param counter its name in sysfs
 * @param more growth above this is too much
 * @param per within this time; zero for the time between two polls, whatever it is
 */
record Threshold(String counter, long more, Duration per) {
  /** The counter of links lost. */
  static final String LINK_DOWNED = "link_downed";

  /** Growth that is too much by the poll; checked from one poll to the next. */
  static final List<Threshold> ALL =
      List.of(
          any(LINK_DOWNED),
          any("excessive_buffer_overrun_errors"),
          any("local_link_integrity_errors"),
          any("rnr_nak_retry_err"),
          new Threshold("symbol_error", 10, Duration.ofSeconds(1)),
          new Threshold("link_error_recovery", 5, Duration.ofMinutes(1)),
          new Threshold("port_rcv_errors", 10, Duration.ofSeconds(1)),
          new Threshold("local_ack_timeout_err", 1, Duration.ofSeconds(1)),
          new Threshold("port_xmit_discards", 100, Duration.ofSeconds(1)),
          new Threshold("roce_slow_restart", 10, Duration.ofSeconds(1)),
          new Threshold("carrier_changes", 2, Duration.ZERO));

  /** Symbol errors of an hour; few at a time, and still too many. */
  static final Threshold SLOW_SYMBOL_ERRORS =
      new Threshold("symbol_error", 120, Duration.ofHours(1));

  /** What is read of each port. */
  static final Set<String> COUNTERS = counters();

  private static Threshold any(String counter) {
    return new Threshold(counter, 0, Duration.ZERO);
  }

  private static Set<String> counters() {
    Set<String> names = new TreeSet<>();
    ALL.forEach(one -> names.add(one.counter));
    // Of the network interface, not of the port.
    names.remove("carrier_changes");
    return names;
  }

  boolean isExceeded(long growth, Duration time) {
    if (per.isZero()) {
      return growth > more;
    }
    // More than "more" for each "per" of the time, without dividing.
    return growth > 0 && (double) growth * per.toMillis() > (double) more * time.toMillis();
  }

  /** Code of the fault: {@code NIC-SYMBOL-ERROR}. */
  String code() {
    return "NIC-" + counter.toUpperCase(Locale.ROOT).replace('_', '-');
  }
}
