package dev.rekindle.simulator.process;

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

/**
 * A watch with a lag of 20 ms; what it delivers is written down as "time +key text" or "time -key".
 */
abstract class InformerFixture {
  static final Duration LAG = Duration.ofMillis(20);
  final Loop loop = new Loop();

  final Collection<ConfigMapObject> source =
      new ApiServer(loop).<ConfigMapObject>install("configmaps");
  final List<String> delivered = new ArrayList<>();
  final List<Long> versions = new ArrayList<>();
  Duration paused = Duration.ZERO;
  final Informer<ConfigMapObject, String> informer = informer();

  @BeforeEach
  void connect() {
    create("a");
    informer.connect(Duration.ofMillis(80), Duration.ZERO);
    runTo(100);
  }

  Informer<ConfigMapObject, String> informer() {
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

  void create(String name) {
    source.create(new ConfigMapObject(Meta.draft("", name, ""), Map.of("text", "0")));
  }

  void say(String name, String text) {
    source.patch(name, o -> new ConfigMapObject(o.meta(), Map.of("text", text)));
  }

  @SuppressWarnings("StatementWithEmptyBody")
  void runTo(int millis) {
    while (loop.step(millis * 1_000L)) {}
    loop.moveTo(millis * 1_000L);
  }
}
