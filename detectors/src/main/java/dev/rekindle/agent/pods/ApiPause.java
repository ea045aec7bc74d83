package dev.rekindle.agent.pods;

import dev.rekindle.detect.ApiErrors;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * For how long rounds make no calls: where one got no answer, each of the next would wait as long
 * for nothing, and a round over many pods would take so long that the agent counts as stuck. For
 * many threads.
 */
public final class ApiPause {
  /** How long. */
  public static final Duration PAUSE = Duration.ofSeconds(5);

  private final InstantSource clock;
  private volatile Instant until = Instant.MIN;

  /**
   * None yet.
   *
   * @param clock a steady clock
   */
  public ApiPause(InstantSource clock) {
    this.clock = clock;
  }

  /** Whether no call is to be made now. */
  public boolean isOn() {
    return clock.instant().isBefore(until);
  }

  /** A call has failed; an answer, whatever it says, is no reason to pause. */
  public void failed(KubernetesClientException e) {
    if (ApiErrors.status(e) == 0) {
      until = clock.instant().plus(PAUSE);
    }
  }
}
