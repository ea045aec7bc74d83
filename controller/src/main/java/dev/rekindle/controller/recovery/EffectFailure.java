package dev.rekindle.controller.recovery;

import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the API server has answered, each time, to something that a recovery requests.
 *
 * @param kind what was requested
 * @param object of which object
 * @param status the HTTP status, 0 where no answer came
 * @param text the API server's own words
 * @param since when it failed first
 * @param last when it failed last
 * @param times how often in a row
 * @param retryAfter for how long the API server asked to be left alone
 */
public record EffectFailure(
    CallKind kind,
    String object,
    int status,
    String text,
    Instant since,
    Instant last,
    int times,
    Duration retryAfter) {
  /** A refusal is retried a few times: a webhook may have had a bad moment. */
  static final int REFUSALS = 3;

  /** An API server that is upgraded, or whose etcd elects, is away for less than that. */
  static final Duration UNAVAILABLE = Duration.ofMinutes(3);

  /** A cache that lags shows within that what has changed. */
  static final Duration CHANGING = Duration.ofMinutes(1);

  /** A gang is frozen meanwhile, and a rebuild requests other things. */
  static final Duration IN_PLACE = Duration.ofSeconds(30);

  static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  /**
   * What is still wanted is requested when its time has come; a reconcile may come a little late.
   */
  private static final Duration FORGOTTEN = Duration.ofMinutes(2);

  private static final int MAX_DOUBLINGS = 20;

  /** How a status is to be taken. */
  private enum Outcome {
    /** Asked the same, the answer will be the same until somebody changes something. */
    REFUSED(Duration.ofSeconds(1), LONGEST_WAIT),
    /** The object was not what we took it for. */
    CHANGED(Duration.ofMillis(100), Duration.ofSeconds(30)),
    /** No answer, or one of a server in trouble. */
    UNAVAILABLE(Duration.ofMillis(250), Duration.ofSeconds(10));

    private final Duration first;
    private final Duration longest;

    Outcome(Duration first, Duration longest) {
      this.first = first;
      this.longest = longest;
    }
  }

  /** The same failure, come again at that moment. */
  static EffectFailure of(
      CallKind kind,
      String object,
      RuntimeException error,
      @Nullable EffectFailure before,
      Instant now) {
    Instant since = now;
    int times = 1;
    if (before != null && before.stands(now)) {
      // A clock that was set back since would count a negative time, for as long as it was ahead.
      since = before.since().isAfter(now) ? now : before.since();
      times = before.times() + 1;
    }
    return switch (error) {
      case UnavailableException e ->
          new EffectFailure(kind, object, e.status(), e.text(), since, now, times, e.retryAfter());
      case CallException e ->
          new EffectFailure(kind, object, e.status(), e.text(), since, now, times, Duration.ZERO);
      case StaleException e ->
          new EffectFailure(
              kind,
              object,
              HttpURLConnection.HTTP_CONFLICT,
              String.valueOf(e.getMessage()),
              since,
              now,
              times,
              Duration.ZERO);
      default -> throw error;
    };
  }

  private Outcome outcome() {
    if (status == HttpURLConnection.HTTP_CONFLICT) {
      return Outcome.CHANGED;
    }
    boolean refused =
        status >= HttpURLConnection.HTTP_BAD_REQUEST
            && status < HttpURLConnection.HTTP_INTERNAL_ERROR
            && status != HttpURLConnection.HTTP_CLIENT_TIMEOUT
            && status != 429;
    return refused ? Outcome.REFUSED : Outcome.UNAVAILABLE;
  }

  /** Why a recovery is held for it. */
  HoldReason reason() {
    return outcome() == Outcome.UNAVAILABLE ? HoldReason.UNAVAILABLE : HoldReason.REFUSED;
  }

  /** Whether it continues for so long that a person must know. */
  boolean lasts() {
    Duration gone = Duration.between(since, last);
    return switch (outcome()) {
      case REFUSED -> times >= REFUSALS;
      case CHANGED -> gone.compareTo(CHANGING) >= 0;
      case UNAVAILABLE -> gone.compareTo(UNAVAILABLE) >= 0;
    };
  }

  /** Whether it continues for so long that a gang had better not wait for it frozen. */
  boolean lastsInPlace() {
    return lasts() || Duration.between(since, last).compareTo(IN_PLACE) >= 0;
  }

  private Duration pause() {
    Outcome kind = outcome();
    long factor = 1L << Math.min(times - 1, MAX_DOUBLINGS);
    Duration pause = kind.first.multipliedBy(factor);
    pause = pause.compareTo(kind.longest) > 0 ? kind.longest : pause;
    pause = pause.compareTo(retryAfter) < 0 ? retryAfter : pause;
    return pause.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : pause;
  }

  /** Whether it is time to retry. A clock that was set back is no reason to wait. */
  boolean due(Instant now) {
    return now.isBefore(last) || !now.isBefore(last.plus(pause()));
  }

  /** How long until it is time to retry; zero when it is. */
  Duration left(Instant now) {
    return due(now) ? Duration.ZERO : Duration.between(now, last.plus(pause()));
  }

  /** Whether it still counts. What is no longer requested is forgotten after a while. */
  boolean stands(Instant now) {
    return now.isBefore(last.plus(pause()).plus(FORGOTTEN));
  }

  /** What was requested and what came back, for people. */
  String describe() {
    String answer = status == 0 ? "no answer" : Integer.toString(status);
    return "%s %s: %s: %s".formatted(kind.verb(), object, answer, text);
  }
}
