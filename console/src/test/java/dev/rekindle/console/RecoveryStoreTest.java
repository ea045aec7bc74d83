package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.page.RecoveryRow;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

class RecoveryStoreTest {
  private final KubernetesSerialization serialization = new KubernetesSerialization();
  private final RecoveryStore store = new RecoveryStore(serialization, new Packer());

  private Recovery put(String name, RecoveryPhase phase, String version) {
    Recovery recovery = Given.recovery("ml", name, phase, Given.T0);
    recovery.getMetadata().setResourceVersion(version);
    store.put(store.getKey(recovery), recovery);
    return recovery;
  }

  @Test
  void shouldFindWhatWasStored() {
    Recovery open = put("first", RecoveryPhase.DRAINING, "7");
    Recovery over = put("second", RecoveryPhase.RECOVERED, "8");
    Recovery next = put("third", RecoveryPhase.RECOVERED, "9");

    for (Recovery recovery : new Recovery[] {open, over, next}) {
      String name = recovery.getMetadata().getName();
      assertThat(store.find("ml", name).map(serialization::asJson))
          .as(name)
          .contains(serialization.asJson(recovery));
    }
    assertThat(store.find("other", "first")).isEmpty();
  }

  /** It compares versions, and takes all at once: whole objects would be more than all else. */
  @Test
  void shouldGiveItsInformerNoMoreThanNamesAndVersions() {
    put("job-r1", RecoveryPhase.RECOVERED, "7");

    Recovery named = store.values().findFirst().orElseThrow();
    assertThat(store.getKey(named)).isEqualTo("ml/job-r1");
    assertThat(named.getMetadata().getResourceVersion()).isEqualTo("7");
    assertThat(named.getSpec()).isNull();
    assertThat(named.getStatus()).isNull();
    assertThat(store.get("ml/job-r1")).isEqualTo(named);
    assertThat(store.get("ml/other")).isNull();
  }

  @Test
  void shouldNameTheFormerOne() {
    put("job-r1", RecoveryPhase.DRAINING, "7");
    Recovery next = Given.recovery("ml", "job-r1", RecoveryPhase.RECOVERED, Given.T0);
    next.getMetadata().setResourceVersion("8");

    assertThat(store.put("ml/job-r1", next)).isNotNull();
    assertThat(store.rows().map(RecoveryRow::phase)).containsExactly("Recovered");
    Recovery removed = store.remove("ml/job-r1");
    assertThat(removed).isNotNull();
    assertThat(removed.getMetadata().getResourceVersion()).isEqualTo("8");
    assertThat(store.remove("ml/job-r1")).isNull();
    assertThat(store.rows()).isEmpty();
  }

  @Test
  void shouldCountEachChange() {
    put("job-r1", RecoveryPhase.DRAINING, "7");
    put("job-r1", RecoveryPhase.RECOVERED, "8");
    store.remove("ml/job-r1");
    assertThat(store.changes()).isEqualTo(3);
  }
}
