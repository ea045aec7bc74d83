package dev.rekindle.detect.weigh;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Says whether a fault that fences only when it comes again is the hardware's or a program's: a
 * pure function of the fault, the others of its node, those of its code elsewhere, and the time.
 * The controller and {@code rekindle judge} ask the same one.
 *
 * <ul>
 *   <li>A code that programs can cause is the hardware's where programs of different owners met it
 *       at the same place, and did not meet it elsewhere as well. One program never fences, however
 *       often it crashes, on however many devices.
 *   <li>A code that no program can cause is the hardware's where it comes too often, hurts programs
 *       of different owners, or is seen by a second detector.
 *   <li>A burst is weighed once it is over, when its root is known. A reboot starts the count of
 *       what no program can cause again; who was hit before it still counts.
 *   <li>No rule asks how long ago the last record was: silence clears nothing.
 * </ul>
 */
public final class Weigher {
  /** A device plugin marks devices for harmless codes as well: a witness, and no proof. */
  private static final Set<String> NO_PROOF = Set.of("device-plugin");

  private static final Set<String> CONNECTION = Set.of("mechanical", "signal", "repeated");

  private static final String LOST_REQUEST = "RLW_SRC_TRACK link ";

  private final Thresholds t;
  private final Bursts bursts;
  private final boolean byProcess;

  private Weigher(Thresholds thresholds, boolean byProcess) {
    this.t = thresholds;
    this.bursts = new Bursts(thresholds);
    this.byProcess = byProcess;
  }

  /**
   * A weigher of what agents say. A process is no owner there: one program has processes of many
   * names, and its user may call it as they like.
   */
  public static Weigher ofNodes(Thresholds thresholds) {
    return new Weigher(thresholds, false);
  }

  /** A weigher of a recorded log, which has no pods: the name of a process stands for its owner. */
  public static Weigher ofLog(Thresholds thresholds) {
    return new Weigher(thresholds, true);
  }

  /**
   * Weighs a fault that stands and does not fence by itself.
   *
   * @param fault one of those of the node
   * @param here all faults of its node
   * @param elsewhere faults of other nodes with its code, where programs can cause that
   * @param now when
   */
  public Assessment weigh(
      Fault fault,
      Collection<? extends Fault> here,
      Collection<? extends Fault> elsewhere,
      Instant now) {
    List<Incident> all = List.copyOf(fault.incidents());
    List<Incident> over =
        all.stream().filter(i -> !now.isBefore(i.lastSeen().plus(t.silence()))).toList();
    var cause = Cause.of(fault.code());
    var found =
        cause.isProgram()
            ? program(fault, cause, over, here, elsewhere)
            : hardware(fault, cause, over, here, now);
    if (found.isPresent() && found.get().fences()) {
      return found.get();
    }
    if (over.size() < all.size()) {
      var ends = all.stream().map(Incident::lastSeen).max(Instant::compareTo).orElseThrow();
      return new Assessment(
          false, false, "the burst is not over", ends.plus(t.silence()), Set.of());
    }
    return found.orElseGet(
        () -> Assessment.light("has hurt no two programs of different owners on this device"));
  }

  /** Reboots over which it came back, as far as its incidents say. */
  public int reboots(Fault fault) {
    var newest = fault.incidents().stream().map(Incident::lastSeen).max(Instant::compareTo);
    Set<String> boots = new HashSet<>();
    boots.add(fault.bootId());
    newest.ifPresent(
        last ->
            fault.incidents().stream()
                .filter(i -> !i.lastSeen().isBefore(last.minus(t.rebootWindow())))
                .forEach(i -> boots.add(i.bootId())));
    boots.remove("");
    return Math.max(0, boots.size() - 1);
  }

  /** Whether it has outlived so many reboots that none is believed any more. */
  public boolean isStubborn(Fault fault) {
    return reboots(fault) >= t.reboots();
  }

  // ---- What programs can cause ----------------------------------------------------------------

  private Optional<Assessment> program(
      Fault fault,
      Cause cause,
      List<Incident> over,
      Collection<? extends Fault> here,
      Collection<? extends Fault> elsewhere) {
    var excused = excused(fault, over, here, elsewhere);
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
        !place.isEmpty() || ofOneUnit(near),
        "has hurt programs of different owners%s (%s)"
            .formatted(place.isEmpty() ? " on this device" : " in " + place, names),
        null,
        programs.stream().map(Program::namespace).collect(Collectors.toSet()));
  }

  /** Within the window before this one, itself among them. */
  private boolean isWithin(Incident last, Incident other) {
    return !other.lastSeen().isAfter(last.lastSeen()) && last.isNear(other, t.window());
  }

  /** The programs that were hit. */
  private Set<Program> programs(List<Incident> incidents) {
    return incidents.stream()
        .map(Incident::program)
        .filter(program -> program.isKnown() && (program.hasPod() || byProcess))
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** Programs that met the code on another device as well: it is theirs, wherever they run. */
  private Set<Program> excused(
      Fault fault,
      List<Incident> incidents,
      Collection<? extends Fault> here,
      Collection<? extends Fault> elsewhere) {
    Set<Program> excused = new HashSet<>();
    Stream.concat(here.stream(), elsewhere.stream())
        .filter(other -> other.code().equals(fault.code()) && !other.isOfTheSame(fault))
        .flatMap(other -> other.incidents().stream())
        .forEach(
            there ->
                incidents.stream()
                    .filter(i -> isSame(i, there) && i.isNear(there, t.window()))
                    .map(Incident::program)
                    .filter(Program::isKnown)
                    .forEach(excused::add));
    return excused;
  }

  private static boolean isSame(Incident one, Incident other) {
    return (!one.jobUid().isEmpty() && one.jobUid().equals(other.jobUid()))
        || (one.program().isKnown() && one.program().equals(other.program()));
  }

  // ---- What no program can cause --------------------------------------------------------------

  private Optional<Assessment> hardware(
      Fault fault,
      Cause cause,
      List<Incident> over,
      Collection<? extends Fault> here,
      Instant now) {
    var programs =
        over.stream()
            .map(last -> programs(over.stream().filter(i -> isWithin(last, i)).toList()))
            .filter(some -> some.size() >= t.owners())
            .findFirst();
    if (programs.isPresent()) {
      return Optional.of(
          Assessment.heavy(
              "has hurt programs of different owners on this device", ofOneUnit(over)));
    }
    var current = over.stream().filter(i -> Bursts.isOfThisBoot(i, fault)).toList();
    if (cause == Cause.STORM) {
      var storm = current.stream().mapToLong(Weigher::lostLinks).max().orElse(0);
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
    if (isProof(fault) && here.stream().anyMatch(other -> isWitness(other, fault))) {
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
            .filter(f -> !Cause.isProgram(f) && isProof(f))
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

  private static boolean ofOneUnit(List<Incident> incidents) {
    return incidents.size() > 1
        && !incidents.getFirst().onlyUnit().isEmpty()
        && incidents.stream().allMatch(i -> i.onlyUnit().equals(incidents.getFirst().onlyUnit()));
  }

  // ---- Witnesses ------------------------------------------------------------------------------

  /** Whether another detector says that something is wrong with the same thing at this time. */
  public static boolean isSecond(Fault other, Fault fault) {
    return other.active()
        && other.fence() != FenceGuidance.NEVER
        && !Cause.isProgram(other)
        && other.isOfTheSame(fault)
        && !other.detector().isEmpty()
        && !other.detector().equals(fault.detector());
  }

  private static boolean isWitness(Fault other, Fault fault) {
    return isSecond(other, fault) && isProof(other);
  }

  /** Whether who found it sees the hardware itself. */
  public static boolean isProof(Fault fault) {
    return !NO_PROOF.contains(fault.detector());
  }

  private static String hours(Duration window) {
    return window.toMinutes() % 60 == 0 ? window.toHours() + " h" : window.toSeconds() + " s";
  }
}
