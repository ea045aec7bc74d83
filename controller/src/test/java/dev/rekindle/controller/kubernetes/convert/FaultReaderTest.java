package dev.rekindle.controller.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.NodeFaultStatus.State;
import dev.rekindle.controller.model.FaultView;
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
    return view("boot-1", "boot-1", lastSeen, written).lastSeen();
  }

  private static FaultView view(
      String firstBoot, String lastBoot, Instant lastSeen, @Nullable Instant written) {
    NodeFaultSpec spec =
        new NodeFaultSpec(
            "n1",
            ComponentType.GPU,
            "0000:3b:00",
            "XID-79",
            "kmsg",
            FenceGuidance.ALWAYS,
            "reboot_node",
            firstBoot,
            lastSeen,
            "NVRM: Xid 79");
    NodeFaultStatus status =
        new NodeFaultStatus(State.ACTIVE, 1, lastSeen, lastBoot, 7, "", List.of(), "", null);
    return FaultReader.view("f", spec, status, written);
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
    assertThat(view("boot-1", "boot-2", WRITTEN, WRITTEN).bootId()).isEqualTo("boot-2");
    assertThat(view("boot-1", "", WRITTEN, WRITTEN).bootId()).isEqualTo("boot-1");
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
