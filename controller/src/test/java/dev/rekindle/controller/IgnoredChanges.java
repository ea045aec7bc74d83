package dev.rekindle.controller;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.port.Changes;

/** Changes of which no reconciler hears. */
public final class IgnoredChanges implements Changes {
  @Override
  public void job(JobKey key) {}

  @Override
  public void node(String name) {}
}
