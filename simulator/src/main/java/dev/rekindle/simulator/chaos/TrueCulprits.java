package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.StallFinding;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Invariant 28: a rank that is named with high or medium confidence stood still when an agent
 * inspected it. So did a rank that is named with any confidence, if each rank of the job had
 * written a complete dump and the host of one of them stood still. Bound: once it did, as reports
 * come late. A rank that merely wrote no dump, or does something else than all others, may be named
 * with low confidence; false log lines may give medium confidence. Why: a person looks for hours at
 * the node of a rank that is named.
 */
final class TrueCulprits extends Check {
  private final Map<JobKey, Set<Integer>> stood = new HashMap<>();
  private final Map<JobKey, List<Look>> looks = new HashMap<>();
  private final Map<StallResult, Integer> results = new EnumMap<>(StallResult.class);
  private final Set<String> counted = new HashSet<>();

  private record Look(Instant at, int rank, Standing standing, boolean dumped, boolean lies) {
    boolean stood() {
      return standing != Standing.NOT;
    }
  }

  TrueCulprits(World world, Invariants all) {
    super(world, all, Invariant.TRUE_CULPRITS);
    world.recoveries().watch(this::changed);
  }

  @Override
  public void looksAt(JobKey job, int rank, Standing standing, boolean dumped, boolean lies) {
    if (standing != Standing.NOT) {
      stood.computeIfAbsent(job, _ -> new HashSet<>()).add(rank);
    }
    looks
        .computeIfAbsent(job, _ -> new ArrayList<>())
        .add(new Look(now(), rank, standing, dumped, lies));
  }

  private void changed(Change<RecoveryObject> change) {
    RecoveryObject recovery = change.after();
    RecoveryStatus status = recovery == null ? null : recovery.status();
    Cause cause = status == null ? null : status.cause();
    StallFinding stall = cause == null ? null : cause.stall();
    if (recovery == null || stall == null) {
      return;
    }
    JobKey job = recovery.view().job();
    List<Look> ofThis =
        looks.getOrDefault(job, List.of()).stream()
            .filter(look -> !look.at().isBefore(recovery.meta().created()))
            .toList();
    if (!ofThis.isEmpty() && counted.add(recovery.meta().uid())) {
      results.merge(result(ofThis, stall), 1, Integer::sum);
    }
    if (!stall.named()) {
      return;
    }
    boolean lies = ofThis.stream().anyMatch(Look::lies);
    boolean guess =
        stall.confidence().equals("low") || (lies && stall.confidence().equals("medium"));
    if (guess && !isCertain(ofThis, stall)) {
      return;
    }
    for (StallFinding.NamedRank named : stall.culprits()) {
      if (!stood.getOrDefault(job, Set.of()).contains(named.rank())) {
        broken(job, "rank %d of %s is named and did not stand still".formatted(named.rank(), job));
      }
    }
  }

  /** The number of stalls by outcome. */
  Map<StallResult, Integer> results() {
    return results;
  }

  private static StallResult result(List<Look> looks, StallFinding stall) {
    Set<Integer> still =
        looks.stream().filter(Look::stood).map(Look::rank).collect(Collectors.toSet());
    boolean whole =
        looks.stream().allMatch(Look::dumped)
            && looks.stream().map(Look::rank).distinct().count() == stall.ranks();
    boolean truly =
        stall.named()
            ? stall.culprits().stream().allMatch(named -> still.contains(named.rank()))
            : still.isEmpty();
    boolean device = looks.stream().anyMatch(look -> look.standing() == Standing.ON_DEVICE);
    return device
        ? StallResult.ofDevice(stall.named(), truly)
        : StallResult.of(whole, stall.named(), truly);
  }

  /**
   * Whether complete dumps of all ranks were reported, and the host of one of these stood still. A
   * device that stands need not show in dumps.
   */
  private static boolean isCertain(List<Look> looks, StallFinding stall) {
    return looks.stream().anyMatch(look -> look.standing() == Standing.ON_HOST)
        && looks.stream().allMatch(Look::dumped)
        && looks.stream().map(Look::rank).distinct().count() == stall.ranks();
  }
}
