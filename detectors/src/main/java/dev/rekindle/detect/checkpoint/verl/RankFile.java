package dev.rekindle.detect.checkpoint.verl;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The file of one rank, by its name.
 *
 * @param kind {@code model}, {@code optim} or {@code extra_state}
 * @param world ranks that have saved
 * @param rank whose it is
 */
record RankFile(String kind, int world, int rank) {
  static final String MODEL = "model";

  private static final Pattern NAME =
      Pattern.compile("(model|optim|extra_state)_world_size_(\\d{1,5})_rank_(\\d{1,5})\\.pt");

  static Optional<RankFile> of(String name) {
    var matcher = NAME.matcher(name);
    return matcher.matches()
        ? Optional.of(
            new RankFile(
                matcher.group(1),
                Integer.parseInt(matcher.group(2)),
                Integer.parseInt(matcher.group(3))))
        : Optional.empty();
  }

  static boolean isOne(String name) {
    return of(name).isPresent();
  }

  String name() {
    return "%s_world_size_%d_rank_%d.pt".formatted(kind, world, rank);
  }
}
