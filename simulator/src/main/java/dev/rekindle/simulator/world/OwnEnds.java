package dev.rekindle.simulator.world;

import dev.rekindle.simulator.world.RankProcess.State;
import java.time.Duration;

/** Ranks of a gang that end once their training is over, or hang where no fault is injected. */
final class OwnEnds {
  /** Until a rank has ended whose last step is made. */
  private static final Duration SUCCEEDS = Duration.ofSeconds(2);

  private static final Duration AGAIN = Duration.ofSeconds(1);

  /** From the first step until a rank hangs on a node on which they do. */
  private static final Duration HANGS = Duration.ofSeconds(8);

  private final World world;
  private final Gang gang;

  OwnEnds(World world, Gang gang) {
    this.world = world;
    this.gang = gang;
  }

  /** Its training is over: it writes its last lines, and ends; a frozen one once it runs again. */
  void succeed(RankProcess process) {
    succeed(process, world.jitter(SUCCEEDS));
  }

  private void succeed(RankProcess process, Duration later) {
    world
        .loop()
        .after(
            later,
            () -> {
              if (process.state != State.DEAD && process.runs()) {
                gang.exit(process, 0);
              } else if (process.state != State.DEAD) {
                succeed(process, AGAIN);
              }
            });
  }

  /** On a node on which ranks hang it does so soon. */
  void begins(RankProcess process) {
    if (process.machine.hangsRanks) {
      world
          .loop()
          .after(
              world.jitter(HANGS),
              () -> {
                if (process.machine.hangsRanks && process.state == State.TRAINING) {
                  process.stuck = true;
                  gang.update();
                }
              });
    }
  }
}
