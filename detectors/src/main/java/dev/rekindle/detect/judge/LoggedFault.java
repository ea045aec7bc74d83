package dev.rekindle.detect.judge;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.detect.weigh.Fault;
import dev.rekindle.detect.weigh.Incident;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * A fault as its NodeFault would report it, had an agent read the log.
 *
 * @param told its incidents, as the agent would have written them
 */
record LoggedFault(
    String component,
    String code,
    FenceGuidance fence,
    boolean active,
    String action,
    String bootId,
    List<NodeFaultStatus.Incident> told)
    implements Fault {

  @Override
  public String node() {
    return "";
  }

  @Override
  public String detector() {
    return "kmsg";
  }

  @Override
  public List<? extends Incident> incidents() {
    return told.stream().map(Burst::new).toList();
  }

  /** The incident of an object. */
  private record Burst(NodeFaultStatus.Incident told) implements Incident {
    @Override
    public Instant firstSeen() {
      return Objects.requireNonNullElse(told.firstSeen(), Instant.EPOCH);
    }

    @Override
    public Instant lastSeen() {
      return Objects.requireNonNullElse(told.lastSeen(), Instant.EPOCH);
    }

    @Override
    public String mark() {
      return told.mark();
    }

    @Override
    public String unit() {
      return told.unit();
    }

    @Override
    public List<String> units() {
      return told.units();
    }

    @Override
    public String namespace() {
      return told.namespace();
    }

    @Override
    public String owner() {
      return told.owner();
    }

    @Override
    public String jobUid() {
      return told.jobUid();
    }

    @Override
    public String process() {
      return told.process();
    }

    @Override
    public String bootId() {
      return told.bootId();
    }
  }
}
