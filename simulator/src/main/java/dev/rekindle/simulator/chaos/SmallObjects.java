package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How many objects one job leaves behind, and how big they are. */
final class SmallObjects extends Check {
  static final int MOST = 64;

  /** A thousandth of what etcd takes: gangs here have four ranks. */
  static final int BYTES = 32 * 1_024;

  /** By recovery, what was last measured. */
  private final Map<String, RecoveryStatus> measured = new HashMap<>();

  SmallObjects(World world, Invariants all) {
    super(world, all, Invariant.SMALL_OBJECTS);
  }

  @Override
  public void opened(RecoveryObject recovery) {
    int count = 0;
    for (RecoveryObject other : world.recoveries().all()) {
      count += other.spec().jobUid().equals(recovery.spec().jobUid()) ? 1 : 0;
    }
    if (count > MOST) {
      broken("job %s has %d recoveries".formatted(recovery.view().job(), count));
    }
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    RecoveryPhase phase = after == null ? null : after.phase();
    if (after != null && phase != null && phase.isTerminal()) {
      measure(before.meta().name(), after);
    }
  }

  private void measure(String name, RecoveryStatus status) {
    int bytes = status.toString().length();
    if (bytes > BYTES) {
      broken("the status of recovery %s has some %d bytes".formatted(name, bytes));
    }
  }

  @Override
  void look() {
    for (RecoveryObject recovery : world.recoveries().all()) {
      RecoveryStatus status = recovery.status();
      // Most are as they were at the last look.
      if (status != null
          && recovery.open()
          && !status.equals(measured.put(recovery.meta().key(), status))) {
        measure(recovery.meta().name(), status);
      }
    }
  }
}
