package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.page.RecoveryRow;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeptRecoveriesTest {
  private final RecoveryStore first = new RecoveryStore(new KubernetesSerialization());
  private final RecoveryStore second = new RecoveryStore(new KubernetesSerialization());
  private final KeptRecoveries kept = new KeptRecoveries(List.of(first, second));

  private static void put(
      RecoveryStore store, String namespace, String name, RecoveryPhase phase, Instant at) {
    Recovery recovery = Given.recovery(namespace, name, phase, at);
    store.put(store.getKey(recovery), recovery);
  }

  private List<String> names() {
    return kept.rows().map(RecoveryRow::name).toList();
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
}
