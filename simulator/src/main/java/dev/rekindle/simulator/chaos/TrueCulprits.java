package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.StallFinding;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Invariant 28: a rank that is named with high or medium confidence stood still itself when an
 * agent looked at it. Bound: once it did, as reports come late. A rank that merely wrote no dump
 * may be named with low confidence. Why: a person looks for hours at the node of a rank that is
 * named.
 */
final class TrueCulprits extends Check {
  private final Map<JobKey, Set<Integer>> stood = new HashMap<>();

  TrueCulprits(World world, Invariants all) {
    super(world, all, Invariant.TRUE_CULPRITS);
    world.recoveries().watch(this::changed);
  }

  @Override
  public void looksAt(JobKey job, int rank, boolean standsStill) {
    if (standsStill) {
      stood.computeIfAbsent(job, _ -> new HashSet<>()).add(rank);
    }
  }

  private void changed(Change<RecoveryObject> change) {
    RecoveryObject recovery = change.after();
    RecoveryStatus status = recovery == null ? null : recovery.status();
    Cause cause = status == null ? null : status.cause();
    StallFinding stall = cause == null ? null : cause.stall();
    if (recovery == null || stall == null || stall.confidence().equals("low")) {
      return;
    }
    JobKey job = recovery.view().job();
    for (StallFinding.NamedRank named : stall.culprits()) {
      if (!stood.getOrDefault(job, Set.of()).contains(named.rank())) {
        broken("rank %d of %s is named and did not stand still".formatted(named.rank(), job));
      }
    }
  }
}
