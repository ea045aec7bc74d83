package dev.rekindle.detect.fault;

import dev.rekindle.api.NodeFaultStatus.Incident;
import java.util.List;

/**
 * Sightings of one fault that are not in its object yet.
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
  static FaultAggregate of(FaultObservation sighting) {
    return new FaultAggregate(sighting, sighting, sighting, 1, Incidents.of(sighting));
  }

  FaultAggregate and(FaultObservation sighting) {
    return new FaultAggregate(
        first,
        sighting,
        sighting.fault().fence().compareTo(worst.fault().fence()) < 0 ? sighting : worst,
        count + 1,
        Incidents.merge(incidents, Incidents.of(sighting)));
  }
}
