package dev.rekindle.controller.recovery;

import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoint inspectors of recoveries, and what this process remembers of them: a new one
 * starts an inspector that runs already once more, which changes nothing.
 */
final class InspectorSession {
  private final ClusterGateway gateway;
  private final Map<JobKey, Memory> memories = new ConcurrentHashMap<>();

  /**
   * What this process did about an inspector.
   *
   * @param recovery for which recovery
   * @param unable why there is none, absent where there is
   * @param scanFloor newest scan that had been reported when the drain was over, 0 when none had
   */
  private record Memory(
      String recovery, Inspection.@Nullable Unable unable, @Nullable Long scanFloor) {}

  InspectorSession(ClusterGateway gateway) {
    this.gateway = gateway;
  }

  /**
   * Starts it. A refusal is an answer: a quota, a webhook, a volume that is not allowed. A second
   * request fails with it as with any other refusal.
   */
  void start(JobKey key, String uid, String recovery) {
    try {
      Optional<Inspection.Unable> unable = gateway.startInspector(key, uid, recovery);
      memories.put(key, new Memory(recovery, unable.orElse(null), null));
    } catch (RefusedException refused) {
      Inspection.Unable unable =
          new Inspection.Unable(
              "the inspector was refused: %d: %s".formatted(refused.status(), refused.text()));
      memories.put(key, new Memory(recovery, unable, null));
      throw refused;
    }
  }

  /** Removes it. */
  void stop(JobKey key, String recovery) {
    gateway.stopInspector(key, recovery);
    memories.remove(key);
  }

  /** What is remembered of the job's inspector no longer counts. */
  void forget(JobKey key) {
    memories.remove(key);
  }

  /** Whether the inspector of the recovery was requested, with whatever success. */
  boolean started(JobKey key, String recovery) {
    return of(key, recovery).isPresent();
  }

  /** The scan that those which count must pass; absent while none was read. */
  @Nullable Long scanFloor(JobKey key, String recovery) {
    return of(key, recovery).map(Memory::scanFloor).orElse(null);
  }

  private Optional<Memory> of(JobKey key, String recovery) {
    return Optional.ofNullable(memories.get(key)).filter(m -> m.recovery().equals(recovery));
  }

  /**
   * Reads the inspector of a drained gang; the first report after the drain sets the floor that
   * later scans must pass.
   */
  Inspection read(JobKey key, String recovery) {
    Memory memory = of(key, recovery).orElse(null);
    if (memory == null) {
      return new Inspection.Pending("not started");
    }
    if (memory.unable() != null) {
      return memory.unable();
    }
    Inspection inspection;
    try {
      inspection = gateway.inspect(key, recovery);
    } catch (CallException failed) {
      // As good as one that does not report: it is waited for as long as for that.
      return new Inspection.Pending("the inspector cannot be read: " + failed.text());
    }
    if (memory.scanFloor() == null) {
      switch (inspection) {
        case Inspection.Report report ->
            memories.put(key, new Memory(recovery, null, report.scan()));
        // No scan is finished, though the first may be under way: the second is the one.
        case Inspection.Pending _, Inspection.Absent _ ->
            memories.put(key, new Memory(recovery, null, 0L));
        case Inspection.Unable _ -> {}
      }
    }
    return inspection;
  }
}
