package dev.rekindle.detect.fault;

import dev.rekindle.detect.ApiErrors;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;

/** What is to become of a write that the API server did not take. */
enum Refusal {
  /** It is offered again at once, before anything else: the next would fare no better. */
  LATER,
  /** It is tried again now and then, and nothing waits for it. */
  ASIDE,
  /** The object itself is not accepted; trying again cannot help. */
  FOR_GOOD;

  /** A failure of the API server that lasts longer than this may be about this one write. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * What becomes of it.
   *
   * @param failing for how long the same write has failed
   */
  static Refusal of(KubernetesClientException error, Duration failing) {
    var code = ApiErrors.status(error);
    return switch (code) {
      case 0 -> LATER;
      case 400, 413, 422 -> FOR_GOOD;
      case 401, 404, 408, 409, 429 -> failing.compareTo(PATIENCE) < 0 ? LATER : ASIDE;
      default -> code >= 500 && failing.compareTo(PATIENCE) < 0 ? LATER : ASIDE;
    };
  }
}
