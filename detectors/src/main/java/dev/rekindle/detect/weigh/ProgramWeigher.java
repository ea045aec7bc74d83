package dev.rekindle.detect.weigh;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Weighs codes that programs can cause: the hardware's where programs of different owners met it at
 * the same place, and did not meet it elsewhere as well.
 */
final class ProgramWeigher {
  private final Thresholds t;
  private final boolean byProcess;

  ProgramWeigher(Thresholds thresholds, boolean byProcess) {
    this.t = thresholds;
    this.byProcess = byProcess;
  }

  /**
   * Weighs a fault of such a code.
   *
   * @param over its bursts that are over
   * @param sightings where programs have met its code
   */
  Optional<Assessment> weigh(Fault fault, Cause cause, List<Incident> over, Sightings sightings) {
    var excused = excused(fault, over, sightings);
    var suspects = over.stream().filter(i -> !excused.contains(i.program())).toList();
    var places =
        cause == Cause.PROGRAM_AT_UNIT
            ? suspects.stream()
                .map(Incident::onlyUnit)
                .filter(unit -> !unit.isEmpty())
                .distinct()
                .toList()
            : List.of("");
    for (var place : places) {
      var there =
          suspects.stream().filter(i -> place.isEmpty() || i.onlyUnit().equals(place)).toList();
      for (var one : there) {
        var near = there.stream().filter(i -> isWithin(one, i)).toList();
        var programs = programs(near);
        if (programs.size() >= t.owners()) {
          return Optional.of(byOwners(programs, place, near));
        }
      }
    }
    return excused.isEmpty() || !suspects.isEmpty()
        ? Optional.empty()
        : Optional.of(
            Assessment.light("the same program met it on other devices too: no reason to fence"));
  }

  private static Assessment byOwners(Set<Program> programs, String place, List<Incident> near) {
    var names =
        programs.stream()
            .map(Program::toString)
            .sorted()
            .limit(4)
            .collect(Collectors.joining(", "));
    return new Assessment(
        true,
        !place.isEmpty() || HardwareWeigher.ofOneUnit(near),
        "has hurt programs of different owners%s (%s)"
            .formatted(place.isEmpty() ? " on this device" : " in " + place, names),
        null,
        programs.stream().map(Program::namespace).collect(Collectors.toSet()));
  }

  /** Within the window before this one, itself among them. */
  boolean isWithin(Incident last, Incident other) {
    return !other.lastSeen().isAfter(last.lastSeen()) && last.isNear(other, t.window());
  }

  /** The programs that were hit. */
  Set<Program> programs(List<Incident> incidents) {
    return incidents.stream()
        .map(Incident::program)
        .filter(program -> program.isKnown() && (program.hasPod() || byProcess))
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** Programs that met the code on another device as well: it is theirs, wherever they run. */
  private Set<Program> excused(Fault fault, List<Incident> incidents, Sightings sightings) {
    return incidents.stream()
        .filter(i -> i.program().isKnown() && sightings.isElsewhere(fault, i, t.window()))
        .map(Incident::program)
        .collect(Collectors.toSet());
  }
}
