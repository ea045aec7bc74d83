package dev.rekindle.controller.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.NodeFaultStatus.State;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntryBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FaultReaderTest {
  private static final Instant WRITTEN = Instant.parse("2026-01-01T10:00:00Z");

  private static @Nullable Instant seen(Instant lastSeen, @Nullable Instant written) {
    NodeFaultSpec spec =
        new NodeFaultSpec(
            "n1",
            ComponentType.GPU,
            "0000:3b:00",
            "XID-79",
            "kmsg",
            FenceGuidance.ALWAYS,
            "reboot_node",
            "boot-1",
            lastSeen,
            "NVRM: Xid 79");
    NodeFaultStatus status =
        new NodeFaultStatus(State.ACTIVE, 1, lastSeen, "boot-1", 7, "", List.of(), "", null);
    return FaultReader.view("f", spec, status, written).lastSeen();
  }

  @Test
  void shouldKeepTheTimeOfANodeWhoseClockIsRight() {
    Instant before = WRITTEN.minus(Duration.ofHours(3));
    // The API server writes whole seconds: the line may seem half a second younger than its object.
    Instant within = WRITTEN.plusMillis(700);

    assertThat(seen(before, WRITTEN)).isEqualTo(before);
    assertThat(seen(within, WRITTEN)).isEqualTo(within);
  }

  @Test
  void shouldTakeTheTimeOfTheWriteWhereTheClockOfTheNodeIsAhead() {
    assertThat(seen(WRITTEN.plus(Duration.ofMinutes(42)), WRITTEN))
        .isEqualTo(WRITTEN.plusSeconds(1));
  }

  @Test
  void shouldKeepTheTimeWhereNothingSaysWhenItWasWritten() {
    Instant ahead = WRITTEN.plus(Duration.ofMinutes(42));

    assertThat(seen(ahead, null)).isEqualTo(ahead);
  }

  /** Else a reboot before it came again would be one after it, and clear it. */
  @Test
  void shouldTakeTheBootInWhichAFaultWasSeenLast() {
    assertThat(boot("boot-1", "boot-2")).isEqualTo("boot-2");
    assertThat(boot("boot-1", "")).isEqualTo("boot-1");
  }

  private static String boot(String first, String last) {
    NodeFaultSpec spec =
        new NodeFaultSpec(
            "n1",
            ComponentType.GPU,
            "0000:3b:00",
            "XID-79",
            "kmsg",
            FenceGuidance.ALWAYS,
            "reboot_node",
            first,
            WRITTEN,
            "NVRM: Xid 79");
    NodeFaultStatus status =
        new NodeFaultStatus(State.ACTIVE, 2, WRITTEN, last, 7, "", List.of(), "", null);
    return FaultReader.view("f", spec, status, WRITTEN).bootId();
  }

  @Test
  void shouldFindTheNewestWriteOfAnObject() {
    ObjectMeta meta =
        new ObjectMetaBuilder()
            .addToManagedFields(
                new ManagedFieldsEntryBuilder().withTime("2026-01-01T09:59:00Z").build(),
                new ManagedFieldsEntryBuilder().withTime("2026-01-01T10:00:00Z").build(),
                new ManagedFieldsEntryBuilder().withTime("soon").build())
            .build();

    assertThat(Times.written(meta)).isEqualTo(WRITTEN);
    assertThat(Times.written(new ObjectMeta())).isNull();
  }
}
