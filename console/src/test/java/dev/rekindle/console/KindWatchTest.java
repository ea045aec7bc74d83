package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFault;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.watch.WatchLiveness;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Over informers that show what they are made to. */
class KindWatchTest {
  /** An informer as its watch sees it. */
  private static final class Informer {
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private String version = "7";
    private boolean synced = true;
    private boolean stopped;

    private @Nullable Object answer(Object self, String call) {
      return switch (call) {
        case "itemStore", "exceptionHandler", "removeNamespaceIndex", "addEventHandler" -> self;
        case "start" -> new CompletableFuture<Void>();
        case "stopped" -> over;
        case "hasSynced", "isWatching" -> synced;
        case "lastSyncResourceVersion" -> version;
        case "stop", "close" -> {
          stopped = true;
          yield null;
        }
        default -> throw new UnsupportedOperationException(call);
      };
    }
  }

  private final List<Informer> informers = new ArrayList<>();
  private final BasicItemStore<NodeFault> store =
      new BasicItemStore<>(fault -> fault.getMetadata().getName());
  private Duration passed = Duration.ZERO;
  private final KindWatch<NodeFault> watch =
      new KindWatch<>(
          "nodefaults", "", source(), store, _ -> {}, SteadyClock.of(() -> passed.toNanos()));

  @SuppressWarnings("unchecked")
  private Informable<NodeFault> source() {
    return (Informable<NodeFault>)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Informable.class},
            (of, call, _) -> {
              if (call.getName().equals("withLimit")) {
                return of;
              }
              Informer made = new Informer();
              informers.add(made);
              return Proxy.newProxyInstance(
                  getClass().getClassLoader(),
                  new Class<?>[] {SharedIndexInformer.class},
                  (self, method, _) -> made.answer(self, method.getName()));
            });
  }

  @BeforeEach
  void begin() {
    watch.start();
    watch.listen();
  }

  private void pass(Duration time) {
    passed = passed.plus(time);
    watch.listen();
  }

  @Test
  void shouldReplaceAWatchThatShowsNothingForTooLongAndKeepWhatItRead() {
    store.put("f", Given.fault());
    pass(WatchLiveness.SILENT);
    assertThat(informers).as("not for too long").hasSize(1);

    pass(Duration.ofSeconds(1));

    assertThat(informers).hasSize(2);
    assertThat(informers.getFirst().stopped).isTrue();
    assertThat(informers.getLast().stopped).isFalse();
    assertThat(watch.objects()).hasSize(1);
  }

  @Test
  void shouldKeepAWatchThatShowsNewVersions() {
    for (int i = 0; i < 10; i++) {
      informers.getFirst().version = "v" + i;
      pass(WatchLiveness.SILENT);
    }
    assertThat(informers).hasSize(1);
  }

  /** A kubelet that finds it not ready takes its pages away, for as long as an outage lasts. */
  @Test
  void shouldStayReadWhileTheNextOneCannotList() {
    pass(WatchLiveness.SILENT.plusSeconds(1));
    informers.getLast().synced = false;

    assertThat(watch.answered()).isTrue();
    pass(WatchLiveness.SILENT.plusSeconds(1));
    assertThat(informers).as("it still tries").hasSize(2);
  }

  @Test
  void shouldReplaceAWatchThatHasEndedBeforeItHadListed() {
    pass(WatchLiveness.SILENT.plusSeconds(1));
    informers.getLast().synced = false;
    informers.getLast().over.complete(null);

    pass(WatchLiveness.SILENT.plusSeconds(1));

    assertThat(informers).hasSize(3);
  }

  /** A connection that is dead in the middle of a list ends nothing, and no time-out covers it. */
  @Test
  void shouldReplaceAWatchWhoseListHangs() {
    pass(WatchLiveness.SILENT.plusSeconds(1));
    informers.getLast().synced = false;
    pass(Duration.ZERO);

    pass(WatchLiveness.LISTED);
    assertThat(informers).as("not for too long").hasSize(2);
    pass(Duration.ofSeconds(1));

    assertThat(informers).hasSize(3);
  }

  @Test
  void shouldNotBeReadBeforeItHasListed() {
    KindWatch<NodeFault> fresh =
        new KindWatch<>("nodefaults", "", source(), store, _ -> {}, SteadyClock.system());
    fresh.start();
    informers.getLast().synced = false;
    assertThat(fresh.answered()).isFalse();
  }

  @Test
  void shouldStartNothingOnceItIsClosed() {
    watch.close();
    pass(WatchLiveness.SILENT.plusSeconds(1));
    assertThat(informers).hasSize(1);
  }
}
