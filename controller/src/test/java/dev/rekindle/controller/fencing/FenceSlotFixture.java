package dev.rekindle.controller.fencing;

import static dev.rekindle.controller.Given.T0;

import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.port.ClusterGateway.BreakerFullException;
import dev.rekindle.controller.runtime.GroupCommit;
import dev.rekindle.detect.SteadyClock;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;

/** An allocator of slots over a store in memory. */
abstract class FenceSlotFixture {
  final Map<String, String> seen = new HashMap<>();
  final FencesInMemory store = new FencesInMemory(() -> Map.copyOf(seen));
  Instant now = T0;
  long nanos;
  final FenceSlotAllocator ledger = ledgerOfAnother();

  FenceSlotAllocator ledgerOfAnother() {
    return new FenceSlotAllocator(store, () -> now, SteadyClock.of(() -> nanos), this::seat);
  }

  final Semaphore waiting = new Semaphore(0);

  /** A seat that says when somebody sits down. */
  GroupCommit.Seat seat() {
    GroupCommit.Seat seat = GroupCommit.threadSeat();
    return new GroupCommit.Seat() {
      @Override
      public void await() {
        waiting.release();
        seat.await();
      }

      @Override
      public void wake() {
        seat.wake();
      }
    };
  }

  void take(String node, FenceLimit limit, Map<String, String> refused) {
    try {
      ledger.take(node, "r", limit);
    } catch (BreakerFullException full) {
      refused.put(node, String.valueOf(full.getMessage()));
    }
  }
}
