package dev.rekindle.simulator.world;

import dev.rekindle.simulator.world.RankParts.Part;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The parts of ranks that the disks of nodes have, whichever rank may read them. */
final class StoredParts implements StoredCopies {
  private final RankParts parts;
  private final CheckpointDisk known;
  private final Instant at;

  /**
   * @param known the checkpoints that were ever begun, and which of them are given up
   */
  StoredParts(RankParts parts, CheckpointDisk known, Instant at) {
    this.parts = parts;
    this.known = known;
    this.at = at;
  }

  private Stream<Part> whole(Collection<String> of, long step) {
    return of.stream().flatMap(parts::on).filter(p -> p.step() == step && p.valid(at));
  }

  @Override
  public boolean isWhole(Collection<String> of, long step) {
    List<Part> whole = whole(of, step).toList();
    int pods = whole.stream().mapToInt(Part::pods).max().orElse(0);
    Set<Integer> owners = whole.stream().map(Part::owner).collect(Collectors.toSet());
    return pods > 0 && IntStream.range(0, pods).allMatch(owners::contains);
  }

  @Override
  public boolean isOneSave(Collection<String> of, long step) {
    return isWhole(of, step) && whole(of, step).map(Part::course).distinct().count() == 1;
  }

  @Override
  public Duration apart(Collection<String> of, long step) {
    List<Instant> times = whole(of, step).map(Part::modified).sorted().toList();
    return times.isEmpty() ? Duration.ZERO : Duration.between(times.getFirst(), times.getLast());
  }

  @Override
  public boolean isInOrder(Collection<String> of, long step) {
    return of.stream()
        .allMatch(
            disk ->
                parts
                    .on(disk)
                    .filter(p -> p.step() == step && p.valid(at))
                    .allMatch(
                        p ->
                            parts
                                .on(disk)
                                .noneMatch(
                                    o -> o.step() < step && o.modified().isAfter(p.modified()))));
  }

  @Override
  public long newest(Collection<String> of) {
    return known
        .newestFirst()
        .filter(f -> !f.givenUp && isOneSave(of, f.step) && isInOrder(of, f.step))
        .map(f -> f.step)
        .findFirst()
        .orElse(0L);
  }
}
