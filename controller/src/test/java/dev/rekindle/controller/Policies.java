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
    return Policy.of(Serialization.unmarshal(yaml, RecoveryPolicySpec.class));
  }
}
