package dev.rekindle.simulator.process;

import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import dev.rekindle.simulator.api.ApiError;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/** Calls to the API server whose errors are those of the controller's gateway. */
final class ApiCalls {
  private final Caller caller;

  ApiCalls(Caller caller) {
    this.caller = caller;
  }

  /** Makes one call. */
  <T> T call(Supplier<T> effect) {
    try {
      return caller.call(effect);
    } catch (ApiError error) {
      throw translated(error);
    }
  }

  /** Makes one call about an object that may be gone. */
  <T> Optional<T> find(Supplier<T> effect) {
    try {
      return Optional.of(caller.call(effect));
    } catch (ApiError error) {
      if (error.code() == ApiError.NOT_FOUND) {
        return Optional.empty();
      }
      throw translated(error);
    }
  }

  /** Makes a change that reads, checks and writes; a conflict starts it again from the read. */
  void change(Runnable change) {
    try {
      caller.change(change);
    } catch (ApiError error) {
      throw translated(error);
    }
  }

  /** Makes one call and leaves its error as it is: a conflict starts a {@link #change} again. */
  <T> T attempt(Supplier<T> effect) {
    return caller.call(effect);
  }

  /** Whether another process may lead by now, so that nothing is sent any more. */
  boolean isDeposed() {
    return caller.isDeposed();
  }

  static RuntimeException translated(ApiError error) {
    String text = Objects.requireNonNullElse(error.getMessage(), "");
    if (error.code() == ApiError.CONFLICT) {
      return new StaleException(text);
    }
    boolean refused = error.code() >= 400 && error.code() < 500 && error.code() != 429;
    return refused
        ? new RefusedException(error.code(), text)
        : new UnavailableException(error.code(), text, Duration.ZERO);
  }
}
