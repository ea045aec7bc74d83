package dev.rekindle.detect;

import io.fabric8.kubernetes.client.KubernetesClientException;

/** Says in words why the API server did not take a write. */
public final class ApiErrors {
  private ApiErrors() {}

  /** Why, for a log. */
  public static String describe(KubernetesClientException e) {
    return switch (e.getCode()) {
      case 0 -> "the API server does not answer: " + e.getMessage();
      case 404 -> "not found; are Rekindle's CRDs installed? " + e.getMessage();
      case 403 -> "the agent's service account may not: " + e.getMessage();
      default -> String.valueOf(e.getMessage());
    };
  }
}
