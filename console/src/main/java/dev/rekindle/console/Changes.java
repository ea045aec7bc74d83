package dev.rekindle.console;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.function.Predicate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** Passes on that something changed, to browsers that listen. What they miss is of no account. */
@Singleton
final class Changes {
  /** At most one word in this time to each browser, however much happens. */
  private static final Duration TOGETHER = Duration.ofSeconds(1);

  /** More often than proxies and our own server give up on a silent connection. */
  private static final Duration ALIVE = Duration.ofSeconds(20);

  /** Something changed. */
  static final String CHANGE = "change";

  /** Nothing did. */
  static final String NOTHING = "alive";

  private final Sinks.Many<String> namespaces = Sinks.many().multicast().directBestEffort();
  private final Streams streams;
  private final ConsoleConfig config;

  Changes(ConsoleConfig config) {
    this.config = config;
    this.streams = new Streams(config.maxStreams(), config.maxStreamsPerUser());
  }

  /** Something changed in that namespace; empty for what belongs to none. */
  void changed(String namespace) {
    synchronized (namespaces) {
      var _ = namespaces.tryEmitNext(namespace);
    }
  }

  /** Whether that visitor may listen once more. */
  boolean hasRoom(Visitor visitor) {
    return streams.hasRoom(visitor);
  }

  /**
   * {@link #CHANGE} for each while in which something changed that the listener may read, {@link
   * #NOTHING} at the begin and now and then, so that no proxy takes the stream for dead. Ends at
   * once where the limit is reached by then, as where requests arrive at the same time.
   */
  Flux<String> listen(Visitor visitor, Predicate<String> where) {
    return Flux.defer(
        () ->
            streams.open(visitor)
                ? changes(where).doFinally(_ -> streams.close(visitor))
                : Flux.error(new Refused(Refused.Why.FULL)));
  }

  private Flux<String> changes(Predicate<String> where) {
    Flux<String> changes =
        namespaces
            .asFlux()
            // What a user may read is asked of the API server; no watch may wait for that.
            .publishOn(Schedulers.boundedElastic())
            .filter(where)
            .sample(TOGETHER)
            .map(_ -> CHANGE);
    return Flux.merge(Flux.interval(Duration.ZERO, ALIVE).map(_ -> NOTHING), changes)
        .take(Duration.ofSeconds(config.streamSeconds()));
  }
}
