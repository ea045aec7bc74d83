package dev.rekindle.simulator.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.cache.ViewFeed;
import dev.rekindle.simulator.api.ApiServer;
import dev.rekindle.simulator.api.Collection;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.world.ConfigMapObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A watch with a lag of 20 ms; what it delivers is written down as "time +key text" or "time -key".
 */
class InformerTest {
  private static final Duration LAG = Duration.ofMillis(20);

  private final Loop loop = new Loop();
  private final Collection<ConfigMapObject> source =
      new ApiServer(loop).<ConfigMapObject>install("configmaps");
  private final List<String> delivered = new ArrayList<>();
  private final List<Long> versions = new ArrayList<>();
  private Duration paused = Duration.ZERO;
  private final Informer<ConfigMapObject, String> informer = informer();

  @BeforeEach
  void connect() {
    create("a");
    informer.connect(Duration.ofMillis(80), Duration.ZERO);
    runTo(100);
  }

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

  @Test
  void shouldDeliverNothingWhileItsWatchIsBrokenAndThenListAgain() {
    create("b");
    runTo(200);
    delivered.clear();
    say("a", "on its way");
    informer.breakFor(Duration.ofSeconds(1), Duration.ZERO);
    say("b", "1");
    runTo(700);
    say("b", "2");
    runTo(1_199);
    assertThat(delivered).isEmpty();
    runTo(2_000);

    assertThat(delivered).containsExactly("1200 +a on its way", "1200 +b 2");
    say("a", "3");
    runTo(3_000);
    assertThat(delivered.getLast()).isEqualTo("2020 +a 3");
    assertThat(delivered).hasSize(3);
  }

  @Test
  void shouldFindOutWhatWasDeletedDuringTheBreak() {
    create("c");
    create("b");
    create("d");
    runTo(200);
    delivered.clear();
    informer.breakFor(Duration.ofSeconds(1), Duration.ZERO);
    source.delete("c", "", null);
    source.delete("b", "", null);
    create("never seen");
    source.delete("never seen", "", null);
    runTo(2_000);

    assertThat(delivered).containsExactly("1200 +a 0", "1200 +d 0", "1200 -b", "1200 -c");
  }

  @Test
  void shouldBeginAgainWithAListThatIsBehind() {
    create("b");
    runTo(200);
    delivered.clear();
    informer.breakFor(Duration.ofSeconds(1), Duration.ofMillis(500));
    runTo(600);
    say("a", "before");
    runTo(800);
    say("a", "unseen");
    source.delete("b", "", null);
    create("c");
    runTo(2_000);

    assertThat(delivered)
        .containsExactly("1200 +a before", "1200 +b 0", "1220 +a unseen", "1220 -b", "1220 +c 0");
  }

  @Test
  void shouldGoBackInTimeWhereTheListIsOlderThanWhatItHadReported() {
    runTo(1_000);
    say("a", "delivered before");
    runTo(1_100);
    delivered.clear();
    versions.clear();
    informer.breakFor(Duration.ofMillis(100), Duration.ofMillis(500));
    runTo(2_000);

    assertThat(delivered).containsExactly("1200 +a 0", "1220 +a delivered before");
    assertThat(versions).isSorted();
  }

  @Test
  void shouldDeliverNothingWhileItsProcessIsPaused() {
    delivered.clear();
    say("a", "1");
    paused = Duration.ofMillis(500);
    loop.after(Duration.ofMillis(100), () -> say("a", "2"));
    loop.after(Duration.ofMillis(519), () -> paused = Duration.ZERO);
    runTo(2_000);

    assertThat(delivered).containsExactly("620 +a 1", "620 +a 2");
  }

  @Test
  void shouldDeliverNothingOnceStopped() {
    delivered.clear();
    say("a", "1");
    informer.stop();
    say("a", "2");
    informer.breakFor(Duration.ZERO, Duration.ZERO);
    runTo(1_000);

    assertThat(delivered).isEmpty();
  }

  @Test
  void shouldStayStoppedWhereItsWatchWasBroken() {
    delivered.clear();
    informer.breakFor(Duration.ofMillis(100), Duration.ZERO);
    informer.stop();
    runTo(1_000);

    assertThat(delivered).isEmpty();
  }

  @Test
  void shouldBreakOnlyOnceAtATime() {
    delivered.clear();
    informer.breakFor(Duration.ofMillis(500), Duration.ZERO);
    informer.breakFor(Duration.ofMillis(100), Duration.ZERO);
    runTo(1_000);

    assertThat(delivered).containsExactly("600 +a 0");
  }

  private Informer<ConfigMapObject, String> informer() {
    return new Informer<>(
        source,
        o -> o.data().getOrDefault("text", ""),
        new ViewFeed<>() {
          @Override
          public void present(String key, @Nullable String resourceVersion, String view) {
            delivered.add("%d +%s %s".formatted(loop.micros() / 1_000, key, view));
            versions.add(Long.valueOf(String.valueOf(resourceVersion)));
          }

          @Override
          public void gone(String key, @Nullable String resourceVersion) {
            delivered.add("%d -%s".formatted(loop.micros() / 1_000, key));
            versions.add(Long.valueOf(String.valueOf(resourceVersion)));
          }
        },
        loop,
        () -> LAG,
        () -> paused);
  }

  private void create(String name) {
    source.create(new ConfigMapObject(Meta.draft("", name, ""), Map.of("text", "0")));
  }

  private void say(String name, String text) {
    source.patch(name, o -> new ConfigMapObject(o.meta(), Map.of("text", text)));
  }

  @SuppressWarnings("StatementWithEmptyBody")
  private void runTo(int millis) {
    while (loop.step(millis * 1_000L)) {}
    loop.moveTo(millis * 1_000L);
  }
}
