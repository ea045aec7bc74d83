package dev.rekindle.simulator.world;

import dev.rekindle.api.LoadErrorKind;
import dev.rekindle.api.RankReportStatus.LoadError;
import dev.rekindle.simulator.world.RankProcess.State;
import dev.rekindle.simulator.world.SimEvent.Kind;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A gang that never makes a step: its processes end over the checkpoint that they were to load. */
final class PoisonedStart {
  /** From a line in a log until its agent has read it. */
  private static final Duration SEES_LINE = Duration.ofMillis(200);

  private final World world;
  private final Gang gang;

  /** By UID of the pod, what its log says of a checkpoint, until a step is made. */
  private final Map<String, LoadError> loadErrors = new HashMap<>();

  PoisonedStart(World world, Gang gang) {
    this.world = world;
    this.gang = gang;
  }

  /** Whether the checkpoint of that step keeps these ranks from training. */
  boolean stops(List<RankProcess> members, long from) {
    Poison poison = gang.training().storage().poison(from);
    if (poison == Poison.DOES_NOT_LOAD) {
      doesNotLoad(members, from);
      return true;
    }
    if (poison == Poison.CRASHES) {
      crashes(members, from);
      return true;
    }
    return false;
  }

  /** Each process says so in its log, and ends. */
  private void doesNotLoad(List<RankProcess> members, long from) {
    world.emit(
        Kind.TRAINING, gang.job().toString(), "does not load the checkpoint of step " + from);
    String generation = members.getFirst().generation;
    for (RankProcess p : members) {
      p.state = State.BLOCKED;
      loadErrors.put(
          p.podUid,
          new LoadError(
              LoadErrorKind.ARCHIVE, "PytorchStreamReader failed", p.restarts, world.now()));
    }
    world
        .loop()
        .after(
            world.jitter(SEES_LINE),
            () -> {
              world.rankReporters().restartAsked(gang.job());
              shows(from, generation);
              members.forEach(p -> gang.exit(p, 1));
            });
  }

  /** One process ends once it has loaded it, and the others wait for it. */
  private void crashes(List<RankProcess> members, long from) {
    world.emit(Kind.TRAINING, gang.job().toString(), "crashes on the checkpoint of step " + from);
    String generation = members.getFirst().generation;
    RankProcess first = members.get((int) (from % members.size()));
    members.forEach(p -> p.state = State.BLOCKED);
    world
        .loop()
        .after(
            world.timing().load(),
            () -> {
              if (first.state == State.BLOCKED && first.runs()) {
                shows(from, generation);
                gang.exit(first, 1);
              }
              members.forEach(gang::abortLater);
            });
  }

  private void shows(long step, String generation) {
    gang.training().storage().shows(step, generation, gang.training().furthest());
  }

  /** What the log of the container of a pod says of a checkpoint, until a step is made. */
  @Nullable LoadError loadError(String podUid) {
    return loadErrors.get(podUid);
  }

  /** The container of the pod has made a step. */
  void forget(String podUid) {
    loadErrors.remove(podUid);
  }
}
