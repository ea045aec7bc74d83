package dev.rekindle.detect.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.xid.XidCatalog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EventQueueTest {
  private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

  private final EventQueue events =
      new EventQueue("node-1", "boot-1", XidCatalog.load(), (_, _) -> AffectedPod.UNKNOWN);

  private List<String> flushed(Instant now) {
    List<FaultObservation> taken = new ArrayList<>();
    events.flush(now, taken::add);
    return taken.stream().map(one -> one.fault().code()).toList();
  }

  @Test
  void shouldLeaveTheKernelLogSomeTimeToReportAnXid() {
    events.add(new NvmlEvent("0000:3b:00", NvmlEvent.XID, 79, Optional.empty()), T0);
    assertThat(flushed(T0)).isEmpty();
    assertThat(flushed(T0.plus(EventQueue.PATIENCE).minusMillis(1))).isEmpty();
    assertThat(flushed(T0.plus(EventQueue.PATIENCE))).containsExactly("XID-79");
    assertThat(flushed(T0.plus(EventQueue.PATIENCE))).isEmpty();
  }

  @Test
  void shouldNotHoldEventsBackForAsLongAsTheClockWasSetBack() {
    events.add(new NvmlEvent("0000:3b:00", NvmlEvent.XID, 79, Optional.empty()), T0);
    events.add(new NvmlEvent("0000:3c:00", NvmlEvent.FATAL_POISON, 0, Optional.empty()), T0);
    assertThat(flushed(T0.minus(Duration.ofHours(1))))
        .containsExactly("XID-79", NvmlCode.FATAL_POISON.word());
  }
}
