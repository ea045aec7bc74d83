package dev.rekindle.detect.weigh;

import dev.rekindle.api.NodeFaultStatus;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * The incident of a NodeFault.
 *
 * @param stored as the object has it
 */
public record StoredIncident(NodeFaultStatus.Incident stored) implements Incident {
  @Override
  public Instant firstSeen() {
    return Objects.requireNonNullElse(stored.firstSeen(), Instant.EPOCH);
  }

  @Override
  public Instant lastSeen() {
    return Objects.requireNonNullElse(stored.lastSeen(), Instant.EPOCH);
  }

  @Override
  public String mark() {
    return stored.mark();
  }

  @Override
  public String unit() {
    return stored.unit();
  }

  @Override
  public List<String> units() {
    return stored.units();
  }

  @Override
  public String namespace() {
    return stored.namespace();
  }

  @Override
  public String owner() {
    return stored.owner();
  }

  @Override
  public String jobUid() {
    return stored.jobUid();
  }

  @Override
  public String process() {
    return stored.process();
  }

  @Override
  public String bootId() {
    return stored.bootId();
  }
}
