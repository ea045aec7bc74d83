package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.page.FaultRow;
import dev.rekindle.page.FleetPage;
import dev.rekindle.page.FleetPage.NodeRow;
import dev.rekindle.page.RecoveryRow;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class KeptRecoveriesTest {
  private final Packer packer = new Packer();
  private final RecoveryStore first = new RecoveryStore(new KubernetesSerialization(), packer);
  private final RecoveryStore second = new RecoveryStore(new KubernetesSerialization(), packer);
  private final AtomicLong faultChanges = new AtomicLong();
  private final List<FaultRow> faults = new ArrayList<>();
  private final KeptRecoveries kept =
      new KeptRecoveries(
          List.of(first, second), rows -> new View(rows, faultChanges::get, () -> faults));

  private static void put(
      RecoveryStore store, String namespace, String name, RecoveryPhase phase, Instant at) {
    Recovery recovery = Given.recovery(namespace, name, phase, at);
    store.put(store.getKey(recovery), recovery);
  }

  private List<String> names(String... namespaces) {
    return kept.of(Set.of(namespaces)).rows().stream().map(RecoveryRow::name).toList();
  }

  private List<String> names() {
    return names("a", "b");
  }

  @Test
  void shouldSortTheRowsOfAllStores() {
    put(first, "b", "old", RecoveryPhase.RECOVERED, Given.T0);
    put(second, "a", "new", RecoveryPhase.RECOVERED, Given.T0.plusSeconds(2));
    put(second, "a", "held", RecoveryPhase.HELD, Given.T0.minusSeconds(60));

    assertThat(names()).containsExactly("held", "new", "old");
    assertThat(kept.namespaces()).containsExactly("a", "b");
  }

  @Test
  void shouldShowEachChangeOfEachStore() {
    assertThat(names()).isEmpty();
    put(first, "a", "one", RecoveryPhase.DRAINING, Given.T0);
    assertThat(names()).containsExactly("one");
    put(second, "b", "two", RecoveryPhase.RECOVERED, Given.T0.plusSeconds(1));
    assertThat(names()).as("under way before what is over").containsExactly("one", "two");
    put(first, "a", "one", RecoveryPhase.RECOVERED, Given.T0);
    assertThat(names()).as("over, and older").containsExactly("two", "one");
    second.remove("b/two");
    assertThat(names()).containsExactly("one");
    assertThat(kept.namespaces()).containsExactly("a");
  }

  @Test
  void shouldShowWhatIsOfTheNamespacesAlone() {
    put(first, "a", "one", RecoveryPhase.RECOVERED, Given.T0);
    put(second, "b", "two", RecoveryPhase.RECOVERED, Given.T0);

    assertThat(names("a")).containsExactly("one");
    assertThat(names("b", "c")).containsExactly("two");
    assertThat(names()).containsExactly("one", "two");
    put(second, "b", "three", RecoveryPhase.RECOVERED, Given.T0);
    assertThat(names("a")).containsExactly("one");
    assertThat(names("b", "c")).containsExactly("three", "two");
  }

  @Test
  void shouldShowEachChangeInTheFleet() {
    put(first, "a", "one", RecoveryPhase.RECOVERED, Given.T0);
    assertThat(kept.of(Set.of("a")).fleet().nodes())
        .extracting(NodeRow::recoveries, NodeRow::faults)
        .containsExactly(tuple(1, 0));

    put(first, "a", "two", RecoveryPhase.RECOVERED, Given.T0);
    faults.add(FaultRow.of(Given.fault()));
    faultChanges.incrementAndGet();

    assertThat(kept.of(Set.of("a")).fleet().nodes())
        .extracting(NodeRow::recoveries, NodeRow::faults)
        .containsExactly(tuple(2, 1));
  }

  @Test
  void shouldMakeTheFleetOnlyAfterAChange() {
    put(first, "a", "one", RecoveryPhase.RECOVERED, Given.T0);
    FleetPage before = kept.of(Set.of("a")).fleet();
    assertThat(kept.of(Set.of("a")).fleet()).isSameAs(before);

    faultChanges.incrementAndGet();

    assertThat(kept.of(Set.of("a")).fleet()).isNotSameAs(before);
  }

  /** What one sees must not depend on how many others see something else. */
  @Test
  void shouldShowTheirsToManyWithDifferentRights() {
    for (int i = 0; i < 40; i++) {
      put(first, "n" + i, "one-" + i, RecoveryPhase.RECOVERED, Given.T0);
    }
    for (int i = 0; i < 40; i++) {
      assertThat(names("n" + i)).containsExactly("one-" + i);
    }
  }
}
