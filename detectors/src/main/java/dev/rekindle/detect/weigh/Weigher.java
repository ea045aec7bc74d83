package dev.rekindle.detect.weigh;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

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
 *   <li>What a device plugin says never fences, however often it says so: it marks devices for the
 *       errors of programs as well, and no new pod gets the device.
 *   <li>A burst is weighed once it is over, when its root is known. A reboot starts the count of
 *       what no program can cause again; who was hit before it still counts.
 *   <li>No rule asks how long ago the last record was: silence clears nothing.
 * </ul>
 */
public final class Weigher {
  /**
   * A device plugin marks devices for harmless codes as well, and so does that of HAMi: a witness,
   * and no proof.
   */
  private static final Set<String> NO_PROOF = Set.of("device-plugin", "hami");

  private final Thresholds t;
  private final ProgramWeigher programs;
  private final HardwareWeigher hardware;

  private Weigher(Thresholds thresholds, boolean byProcess) {
    this.t = thresholds;
    this.programs = new ProgramWeigher(thresholds, byProcess);
    this.hardware = new HardwareWeigher(thresholds, programs);
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
    return weigh(fault, here, Sightings.of(here, elsewhere), now);
  }

  /**
   * The same, for one of many.
   *
   * @param sightings those of all faults of its node, and of those elsewhere with their codes
   */
  public Assessment weigh(
      Fault fault, Collection<? extends Fault> here, Sightings sightings, Instant now) {
    if (!isProof(fault)) {
      return Assessment.light("a device plugin alone says so, and gives the device to no new pod");
    }
    List<Incident> all = List.copyOf(fault.incidents());
    List<Incident> over =
        all.stream().filter(i -> !now.isBefore(i.lastSeen().plus(t.silence()))).toList();
    var cause = Cause.of(fault.code());
    var found =
        cause.isProgram()
            ? programs.weigh(fault, cause, over, sightings)
            : hardware.weigh(fault, cause, over, here, now);
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

  /** Whether another detector says that something is wrong with the same thing at this time. */
  public static boolean isSecond(Fault other, Fault fault) {
    // Most are of another thing, and there may be hundreds of each.
    return other.isOfTheSame(fault)
        && other.active()
        && other.fence() != FenceGuidance.NEVER
        && !Cause.isProgram(other)
        && !other.detector().isEmpty()
        && !other.detector().equals(fault.detector());
  }

  /** Whether another detector, which sees the hardware itself, says the same. */
  static boolean isWitness(Fault other, Fault fault) {
    return isSecond(other, fault) && isProof(other);
  }

  /** Whether who found it sees the hardware itself. */
  public static boolean isProof(Fault fault) {
    return !NO_PROOF.contains(fault.detector());
  }
}
