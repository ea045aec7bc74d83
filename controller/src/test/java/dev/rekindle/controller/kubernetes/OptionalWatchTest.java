package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.runtime.Backoff;
import io.fabric8.kubernetes.api.model.APIGroup;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collections;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OptionalWatchTest {
  private static final Feed<GenericKubernetesResource> NO_FEED =
      new Feed<>() {
        @Override
        public void present(GenericKubernetesResource object) {}

        @Override
        public void gone(GenericKubernetesResource object) {}
      };

  /** The same timer may have a lease to renew. */
  @Test
  void shouldNotKeepTheTimerWaitingForTheApiServer() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answers = new CountDownLatch(1);
    KubernetesClient silent =
        (KubernetesClient)
            Proxy.newProxyInstance(
                OptionalWatchTest.class.getClassLoader(),
                new Class<?>[] {KubernetesClient.class},
                (_, _, _) -> {
                  asked.countDown();
                  answers.await();
                  return null;
                });
    try (ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        OptionalWatch watch =
            new OptionalWatch(
                silent,
                new OptionalWatch.Kind("g", "things", "Thing", false, Duration.ofMinutes(5)),
                NO_FEED,
                timer,
                KubernetesCacheTest.RETRY)) {
      watch.start();
      try {
        assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(timer.submit(() -> "renewed").get(60, TimeUnit.SECONDS)).isEqualTo("renewed");
      } finally {
        answers.countDown();
        timer.shutdownNow();
      }
    }
  }

  /** A controller does nothing until each kind is watched, or known to be missing. */
  @Test
  void shouldDiscoverAgainAfterAnAnswerThatMakesNoSense() throws Exception {
    CountDownLatch asked = new CountDownLatch(3);
    APIGroup half = new APIGroup();
    half.setVersions(Collections.singletonList(null));
    KubernetesClient odd =
        (KubernetesClient)
            Proxy.newProxyInstance(
                OptionalWatchTest.class.getClassLoader(),
                new Class<?>[] {KubernetesClient.class},
                (_, _, _) -> {
                  asked.countDown();
                  return asked.getCount() == 0 ? null : half;
                });
    try (ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        OptionalWatch watch =
            new OptionalWatch(
                odd,
                new OptionalWatch.Kind("g", "things", "Thing", false, Duration.ofMinutes(5)),
                NO_FEED,
                timer,
                new Backoff(Duration.ofMillis(1), Duration.ofMillis(2), new Random(1)))) {
      watch.start();
      try {
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
      } finally {
        timer.shutdownNow();
      }
    }
  }
}
