package dev.rekindle.simulator.world;

import dev.rekindle.simulator.world.CheckpointDisk.File;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The copies that the disks of nodes have of the checkpoints of one job. */
final class NodeCopies implements StoredCopies {
  private final Map<String, CheckpointDisk> disks;
  private final Instant at;

  NodeCopies(Map<String, CheckpointDisk> disks, Instant at) {
    this.disks = disks;
    this.at = at;
  }

  private Optional<File> file(String disk, long step) {
    return Optional.ofNullable(disks.get(disk)).flatMap(d -> d.of(step));
  }

  @Override
  public boolean isWhole(Collection<String> of, long step) {
    return of.stream().allMatch(d -> file(d, step).filter(f -> f.valid(at)).isPresent());
  }

  @Override
  public boolean isOneSave(Collection<String> of, long step) {
    return isWhole(of, step)
        && of.stream().flatMap(d -> file(d, step).stream()).map(f -> f.course).distinct().count()
            == 1;
  }

  @Override
  public Duration apart(Collection<String> of, long step) {
    List<Instant> times =
        of.stream().flatMap(d -> file(d, step).stream()).map(File::modified).sorted().toList();
    return times.isEmpty() ? Duration.ZERO : Duration.between(times.getFirst(), times.getLast());
  }

  @Override
  public long newest(Collection<String> of) {
    return of.stream()
        .findFirst()
        .flatMap(d -> Optional.ofNullable(disks.get(d)))
        .flatMap(
            first ->
                first
                    .newestFirst()
                    .filter(f -> !f.givenUp && isOneSave(of, f.step) && isInOrder(of, f.step))
                    .findFirst())
        .map(f -> f.step)
        .orElse(0L);
  }

  @Override
  public boolean isInOrder(Collection<String> of, long step) {
    return of.stream()
        .allMatch(
            d -> {
              Instant written = file(d, step).map(File::modified).orElse(Instant.MAX);
              return Objects.requireNonNull(disks.get(d)).files().stream()
                  .noneMatch(f -> f.step < step && f.modified().isAfter(written));
            });
  }
}
