package dev.rekindle.simulator.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.simulator.world.ConfigMapObject;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A watch that works. */
class InformerTest extends InformerFixture {
  @Test
  void shouldBeginWithAListThatTakesItsTime() {
    assertThat(delivered).containsExactly("80 +a 0");
    assertThat(informer.synced()).isTrue();
  }

  @Test
  void shouldListWhatIsThereByThen() {
    informer.stop();
    Informer<ConfigMapObject, String> second = informer();
    second.connect(Duration.ofMillis(80), Duration.ZERO);
    assertThat(second.synced()).isFalse();
    delivered.clear();
    say("a", "1");
    source.delete("a", "", null);
    create("b");
    runTo(180);
    assertThat(second.synced()).isTrue();
    assertThat(delivered).containsExactly("180 +b 0");
  }

  @Test
  void shouldDeliverEveryChangeAfterItsLagAndInOrder() {
    delivered.clear();
    say("a", "1");
    runTo(110);
    say("a", "2");
    create("b");
    source.delete("a", "", null);
    runTo(119);
    assertThat(delivered).isEmpty();
    runTo(300);
    assertThat(delivered).containsExactly("120 +a 1", "120 +a 2", "120 +b 0", "120 -a");
    say("b", "1");
    runTo(400);
    assertThat(delivered.getLast()).isEqualTo("320 +b 1");
  }

  @Test
  void shouldDeliverVersionsThatGrow() {
    for (int i = 1; i < 5; i++) {
      say("a", String.valueOf(i));
      runTo(100 + 50 * i);
    }

    assertThat(versions).hasSize(5).isSorted().doesNotHaveDuplicates();
    source.delete("a", "", null);
    runTo(500);
    assertThat(versions.get(5)).as("the last one that it knew").isEqualTo(versions.get(4));
  }
}
