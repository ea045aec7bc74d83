package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.WatchedNamespaces;
import io.fabric8.kubernetes.api.model.KubernetesListBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An installation that may read some namespaces alone. */
@Timeout(60)
class NamespacesTest {
  private KubernetesMockServer server;
  private KubernetesClient client;

  @BeforeEach
  void start() {
    server = StubCluster.server();
    client = server.createClient();
    for (String namespace : List.of("team-a", "team-b", "team-c")) {
      make(namespace, "of-" + namespace);
    }
    refuse("");
    refuse("namespaces/team-gone/");
  }

  private void make(String namespace, String name) {
    client.resource(Given.recovery(namespace, name, RecoveryPhase.RECOVERED, Given.T0)).create();
  }

  /** As the API server does where no role says otherwise. */
  private void refuse(String place) {
    for (String query : List.of("?limit=500&resourceVersion=0", "?limit=500", "")) {
      server
          .expect()
          .get()
          .withPath("/apis/rekindle.dev/v1alpha1/" + place + "recoveries" + query)
          .andReturn(403, new KubernetesListBuilder().build())
          .always();
    }
  }

  @AfterEach
  void stop() {
    client.close();
    server.destroy();
  }

  private ClusterWatch watch(String... namespaces) {
    return new ClusterWatch(
        client,
        new Changes(new ConsoleConfig(30, 10_000, 256, 64, 200, 20, 600)),
        new WatchedNamespaces(List.of(namespaces)),
        SteadyClock.system());
  }

  private static void until(BooleanSupplier done) {
    while (!done.getAsBoolean()) {
      // Interrupted, it would not park any more.
      assertThat(Thread.currentThread().isInterrupted()).as("out of time").isFalse();
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** This server sends a watch nothing of what happened between the list and its beginning. */
  private void untilWatched(ClusterWatch watch, String namespace) {
    int before = watch.recoveries().size();
    AtomicInteger made = new AtomicInteger();
    until(
        () -> {
          make(namespace, "made-" + made.incrementAndGet());
          return watch.recoveries().size() > before;
        });
    // All that are to come have come, before they are deleted.
    String last = "made-" + made.get();
    until(() -> watch.recoveries().find(namespace, last).isPresent());
  }

  @Test
  void shouldReadTheNamespacesItMayAndNoOther() {
    ClusterWatch watch = watch("team-a", "team-b");
    until(() -> watch.synced() && watch.recoveries().size() == 2);
    assertThat(watch.recoveries().namespaces()).containsExactly("team-a", "team-b");
    assertThat(watch.recoveries().find("team-b", "of-team-b")).isPresent();
    assertThat(watch.recoveries().find("team-c", "of-team-c")).isEmpty();
    assertThat(watch.unread(_ -> true)).isEmpty();
    watch.close();
  }

  @Test
  void shouldHearOfChangesInEachOfThem() {
    ClusterWatch watch = watch("team-a", "team-b");
    until(() -> watch.synced() && watch.recoveries().size() == 2);
    untilWatched(watch, "team-b");
    client.resources(Recovery.class).inNamespace("team-b").delete();
    until(() -> watch.recoveries().size() == 1);
    assertThat(watch.recoveries().namespaces()).containsExactly("team-a");
    watch.close();
  }

  /** The other namespaces can be read after one was deleted. */
  @Test
  void shouldBeReadyAndSayWhatItMayNotRead() {
    ClusterWatch watch = watch("team-a", "team-gone");
    until(() -> watch.synced() && watch.recoveries().size() == 1);
    assertThat(watch.unread(_ -> true))
        .singleElement()
        .asString()
        .startsWith("The console cannot read recoveries of namespace team-gone: ");
    assertThat(watch.unread("team-a"::equals)).isEmpty();
    watch.close();
  }
}
