package dev.rekindle.detect.weigh;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Weighs codes that no program can cause: the hardware's where they come too often, hurt programs
 * of different owners, or are seen by a second detector.
 */
final class HardwareWeigher {
  private static final Set<String> CONNECTION = Set.of("mechanical", "signal", "repeated");

  private static final String LOST_REQUEST = "RLW_SRC_TRACK link ";

  private final Thresholds t;
  private final Bursts bursts;
  private final ProgramWeigher programs;

  HardwareWeigher(Thresholds thresholds, ProgramWeigher programs) {
    this.t = thresholds;
    this.bursts = new Bursts(thresholds);
    this.programs = programs;
  }

  /**
   * Weighs a fault of such a code.
   *
   * @param over its bursts that are over
   * @param here all faults of its node
   */
  Optional<Assessment> weigh(
      Fault fault,
      Cause cause,
      List<Incident> over,
      Collection<? extends Fault> here,
      Instant now) {
    var owners =
        over.stream()
            .map(
                last ->
                    programs.programs(
                        over.stream().filter(i -> programs.isWithin(last, i)).toList()))
            .filter(some -> some.size() >= t.owners())
            .findFirst();
    if (owners.isPresent()) {
      return Optional.of(
          Assessment.heavy(
              "has hurt programs of different owners on this device", ofOneUnit(over)));
    }
    var current = over.stream().filter(i -> Bursts.isOfThisBoot(i, fault)).toList();
    if (cause == Cause.STORM) {
      var storm = current.stream().mapToLong(HardwareWeigher::lostLinks).max().orElse(0);
      if (storm >= t.stormLinks()) {
        return Optional.of(
            Assessment.heavy(
                "a storm of lost requests over %d of its links".formatted(storm), false));
      }
    }
    if (cause == Cause.LINK) {
      var link = link(current);
      if (link.isPresent()) {
        return link;
      }
    }
    if (Weigher.isProof(fault)
        && here.stream().anyMatch(other -> Weigher.isWitness(other, fault))) {
      return Optional.of(Assessment.heavy("two detectors see it", ofOneUnit(over)));
    }
    var most = cause == Cause.FIRMWARE ? t.firmwareIncidents() : t.incidents();
    var times = bursts.most(List.of(fault), now);
    if (times >= most) {
      return Optional.of(
          Assessment.heavy(
              "%d incidents on this device within %s".formatted(times, hours(t.window())),
              ofOneUnit(over)));
    }
    return repeated(fault, here, now);
  }

  /** Bursts of whatever errors of hardware or driver on the device. */
  private Optional<Assessment> repeated(
      Fault fault, Collection<? extends Fault> here, Instant now) {
    if (!fault.component().contains(" ")) {
      return Optional.empty();
    }
    var all =
        here.stream()
            .filter(f -> f.active() && f.fence() != FenceGuidance.NEVER && f.isOfTheSame(fault))
            .filter(f -> !Cause.isProgram(f) && Weigher.isProof(f))
            .filter(f -> f.bootId().equals(fault.bootId()))
            .toList();
    var times = bursts.most(all, now);
    return times < t.incidents()
        ? Optional.empty()
        : Optional.of(
            Assessment.heavy(
                "%d bursts of errors of hardware or driver on this device within %s"
                    .formatted(times, hours(t.window())),
                false));
  }

  private Optional<Assessment> link(List<Incident> over) {
    for (var mark : List.of("ecc", "mechanical")) {
      var marked =
          over.stream()
              .filter(i -> mark.equals("ecc") ? i.mark().equals("ecc") : isConnection(i.mark()))
              .toList();
      for (var unit : marked.stream().map(Incident::onlyUnit).distinct().toList()) {
        var there = marked.stream().filter(i -> i.onlyUnit().equals(unit)).toList();
        var times = unit.isEmpty() ? 0 : bursts.mostSticky(there);
        if (times >= ofLink(mark, t)) {
          return Optional.of(
              Assessment.heavy(
                  "%d incidents in %s within %s".formatted(times, unit, hours(t.window())), true));
        }
      }
    }
    return Optional.empty();
  }

  /** Incidents of that mark on one link that fence; 0 for any number. */
  static int ofLink(String mark, Thresholds t) {
    return mark.equals("ecc") ? t.linkEccIncidents() : isConnection(mark) ? t.linkIncidents() : 0;
  }

  private static boolean isConnection(String mark) {
    return CONNECTION.contains(mark);
  }

  private static long lostLinks(Incident incident) {
    return incident.units().stream().filter(unit -> unit.startsWith(LOST_REQUEST)).count();
  }

  /** Whether all of them are of one part of the component. */
  static boolean ofOneUnit(List<Incident> incidents) {
    return incidents.size() > 1
        && !incidents.getFirst().onlyUnit().isEmpty()
        && incidents.stream().allMatch(i -> i.onlyUnit().equals(incidents.getFirst().onlyUnit()));
  }

  private static String hours(Duration window) {
    return window.toMinutes() % 60 == 0 ? window.toHours() + " h" : window.toSeconds() + " s";
  }
}
