package dev.rekindle.simulator.process;

import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/** Controllers that are broken on purpose: what is refused to one job keeps others waiting. */
public final class SharedCircuits {
  private static final Duration OPEN = Duration.ofMinutes(5);

  private SharedCircuits() {}

  /** Takes a call that is refused for a server that is away, and makes no call for a while. */
  public static Reconcilers.Factory oneForAllJobs() {
    return (state, gateway, clock, effects) -> {
      Instant[] until = {Instant.MIN};
      ClusterGateway shared =
          (ClusterGateway)
              Proxy.newProxyInstance(
                  SharedCircuits.class.getClassLoader(),
                  new Class<?>[] {ClusterGateway.class},
                  (_, method, arguments) -> {
                    if (clock.instant().isBefore(until[0])) {
                      throw new UnavailableException(503, "the circuit is open", Duration.ZERO);
                    }
                    try {
                      return method.invoke(gateway, arguments);
                    } catch (InvocationTargetException thrown) {
                      Throwable cause = Objects.requireNonNull(thrown.getCause());
                      if (cause instanceof RefusedException) {
                        until[0] = clock.instant().plus(OPEN);
                      }
                      throw cause;
                    }
                  });
      return Reconcilers.REAL.make(state, shared, clock, effects);
    };
  }
}
