package dev.rekindle.controller;

import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.controller.model.Policy;
import io.fabric8.kubernetes.client.utils.Serialization;

/** Policies for tests. */
public final class Policies {
  private Policies() {}

  /**
   * A policy as an operator writes it.
   *
   * @param yaml what stands under {@code spec}
   */
  public static Policy ofYaml(String yaml) {
    return Policy.of(spec(yaml));
  }

  /** The same as it is read from the API server; flow style without quotes is fine. */
  public static RecoveryPolicySpec spec(String yaml) {
    return Serialization.unmarshal("---\n" + yaml, RecoveryPolicySpec.class);
  }
}
