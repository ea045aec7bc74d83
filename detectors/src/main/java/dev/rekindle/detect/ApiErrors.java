package dev.rekindle.detect;

import io.fabric8.kubernetes.client.KubernetesClientException;

/** What an exception of the client says of the API server's answer. */
public final class ApiErrors {
  private ApiErrors() {}

  /** The HTTP status; 0 where no answer came, for which fabric8 says 0 or -1. */
  public static int status(KubernetesClientException e) {
    return Math.max(0, e.getCode());
  }

  /** Why, for a log. */
  public static String describe(KubernetesClientException e) {
    return switch (status(e)) {
      case 0 -> "the API server does not answer: " + e.getMessage();
      case 404 -> "not found; are Rekindle's CRDs installed? " + e.getMessage();
      case 403 -> "the agent's service account may not: " + e.getMessage();
      default -> String.valueOf(e.getMessage());
    };
  }
}
