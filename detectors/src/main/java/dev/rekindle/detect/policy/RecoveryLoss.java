package dev.rekindle.detect.policy;

import dev.rekindle.api.ComeBacks;
import dev.rekindle.api.LostGpuSeconds;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.RecoveryStatus.Plan;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What one recovery says of its cost. The figures are those that the controller has written into
 * its outcome; none is worked out again.
 *
 * @param gpuSeconds lost, all times together; absent where it is not known
 * @param times how often it happened: more than once only where kubelets alone brought the gang
 *     back
 * @param blamed nodes that its cause names as faulty or silent
 * @param gang nodes of the gang, as far as the object names them
 */
public record RecoveryLoss(
    @Nullable Double gpuSeconds, int times, List<String> blamed, List<String> gang) {
  public RecoveryLoss {
    blamed = List.copyOf(blamed);
    gang = List.copyOf(gang);
  }

  /** Of a recovery with that status. */
  public static RecoveryLoss of(@Nullable RecoveryStatus given) {
    Optional<RecoveryStatus> status = Optional.ofNullable(given);
    int times = status.map(RecoveryStatus::comeBacks).map(ComeBacks::count).orElse(1);
    List<String> blamed =
        status.map(RecoveryStatus::cause).stream()
            .flatMap(c -> Stream.concat(c.faultyNodes().stream(), c.silentNodes().stream()))
            .distinct()
            .toList();
    List<String> kept = status.map(RecoveryStatus::plan).map(Plan::keptNodes).orElse(List.of());
    return new RecoveryLoss(
        status
            .map(RecoveryStatus::outcome)
            .flatMap(RecoveryLoss::lost)
            .map(lost -> lost * times)
            .orElse(null),
        times,
        blamed,
        Stream.concat(kept.stream(), blamed.stream()).distinct().toList());
  }

  /** What its failure has cost, as the controller has added it up; else what it stood still. */
  public static Optional<Double> lost(Outcome outcome) {
    return Optional.ofNullable(outcome.lost())
        .map(LostGpuSeconds::total)
        .or(() -> Optional.ofNullable(outcome.lostGpuSeconds()));
  }
}
