package dev.rekindle.detect.judge;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.detect.weigh.Fault;
import dev.rekindle.detect.weigh.Incident;
import dev.rekindle.detect.weigh.StoredIncident;
import java.util.List;

/**
 * A fault as its NodeFault would report it, had an agent read the log.
 *
 * @param logged its incidents, as the agent would have written them
 */
record LoggedFault(
    String component,
    String code,
    FenceGuidance fence,
    boolean active,
    String action,
    String bootId,
    List<NodeFaultStatus.Incident> logged)
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
    return logged.stream().map(StoredIncident::new).toList();
  }
}
