package dev.rekindle.simulator.world;

import dev.rekindle.simulator.api.ApiError;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;

/**
 * Namespaces that are being deleted: nothing is created in them until all that was there is gone.
 */
public final class Namespaces {
  private static final int FORBIDDEN = 403;

  private final InstantSource clock;
  private final Map<String, Instant> terminating = new HashMap<>();

  Namespaces(InstantSource clock) {
    this.clock = clock;
  }

  /** Everything in it is gone by then. */
  public void terminate(String namespace, Instant until) {
    terminating.put(namespace, until);
  }

  /**
   * Lets an object be created, as the admission plugin NamespaceLifecycle does.
   *
   * @throws ApiError forbidden, while the namespace is being deleted
   */
  public void admit(String namespace) {
    Instant until = terminating.get(namespace);
    if (until != null && clock.instant().isBefore(until)) {
      throw new ApiError(
          FORBIDDEN,
          "unable to create new content in namespace %s because it is being terminated"
              .formatted(namespace));
    }
  }
}
