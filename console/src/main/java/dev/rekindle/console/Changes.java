package dev.rekindle.console;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** Passes on that something changed, to browsers that listen. What they miss is of no account. */
@Singleton
final class Changes {
  /** At most one word in this time to each browser, however much happens. */
  private static final Duration TOGETHER = Duration.ofSeconds(1);

  private final Sinks.Many<String> namespaces = Sinks.many().multicast().directBestEffort();
  private final AtomicInteger streams = new AtomicInteger();
  private final ConsoleConfig config;

  Changes(ConsoleConfig config) {
    this.config = config;
  }

  /** Something changed in that namespace; empty for what belongs to none. */
  void changed(String namespace) {
    synchronized (namespaces) {
      var _ = namespaces.tryEmitNext(namespace);
    }
  }

  /** Whether one more may listen. */
  boolean room() {
    return streams.get() < config.maxStreams();
  }

  /** A word for each while in which something changed where the listener may look. */
  Flux<String> listen(Predicate<String> where) {
    return namespaces
        .asFlux()
        .filter(where)
        .sample(TOGETHER)
        .map(_ -> "change")
        .take(Duration.ofSeconds(config.streamSeconds()))
        .doOnSubscribe(_ -> streams.incrementAndGet())
        .doFinally(_ -> streams.decrementAndGet());
  }
}
