package dev.rekindle.detect.fault;

import dev.rekindle.api.NodeFaultStatus.Incident;
import java.util.List;

/**
 * Observations of one fault that are not in its object yet.
 *
 * @param first the first of them
 * @param last the newest
 * @param worst the first of those with the strongest word on fencing
 * @param count how many
 * @param incidents the bursts they make
 */
record FaultAggregate(
    FaultObservation first,
    FaultObservation last,
    FaultObservation worst,
    long count,
    List<Incident> incidents) {
  static FaultAggregate of(FaultObservation observation) {
    return new FaultAggregate(observation, observation, observation, 1, Incidents.of(observation));
  }

  FaultAggregate and(FaultObservation observation) {
    return new FaultAggregate(
        first,
        observation,
        observation.fault().fence().compareTo(worst.fault().fence()) < 0 ? observation : worst,
        count + 1,
        Incidents.merge(incidents, Incidents.of(observation)));
  }
}
