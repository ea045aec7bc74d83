package dev.rekindle.simulator.world;

import dev.rekindle.api.MainThread;
import dev.rekindle.api.RankActivity;
import dev.rekindle.api.RankDevice;
import dev.rekindle.api.RankEvidence.Frame;
import dev.rekindle.api.RankEvidence.Line;
import dev.rekindle.detect.ncclog.LogFact;
import dev.rekindle.detect.ncclog.LogFact.WatchdogStuck;
import dev.rekindle.detect.ncclog.LogFact.WorkCounters;
import dev.rekindle.detect.ncclog.LoggedGroup;
import dev.rekindle.detect.ncclog.LoggedLine;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.stall.LineRecord;
import dev.rekindle.simulator.setup.JobSetup.Traces;
import dev.rekindle.simulator.world.RankProcess.State;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the log of a rank says, and what it uses, by what the owner of its job has set. All of it
 * follows from names and numbers, so that a seed plays the same again.
 */
final class RankTraces {
  /** As agents inspect it. */
  private static final int WINDOW = 500;

  /** A run that has trained for less has nothing old in its log. */
  private static final Duration OLD = Duration.ofMinutes(2);

  /** A rank that has waited for less logs nothing of it. */
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final String GPU = "0000:3b:00";
  private static final Frame REDUCES =
      new Frame("all_reduce", "torch/distributed/distributed_c10d.py", 2806);
  private static final Frame LOADS = new Frame("_next_data", "torch/utils/data/dataloader.py", 733);
  private static final Frame COMPUTES = new Frame("augment", "train.py", 41);

  private RankTraces() {}

  /** Whether that rank is the one of its job that says what is not so. */
  private static boolean lies(TrainingPod pod, Gang gang, RankProcess process) {
    return process.rank == Math.floorMod(pod.jobUid().hashCode(), gang.ranks());
  }

  private static boolean trains(RankProcess process) {
    return process.state == State.TRAINING || process.state == State.BLOCKED;
  }

  /**
   * The last collective that is over on a rank. Of the jobs whose device stalls some complete one
   * more on all others before they wait; of the rest no device shows that it is the one.
   */
  static long completed(Gang gang, RankProcess process) {
    long over = gang.training().step();
    boolean shown = Math.floorMod(gang.job().hashCode() >> 4, 3) > 0;
    return process.onDevice && shown ? Math.max(0, over - 1) : over;
  }

  /** Of some ranks it is missing. */
  private static boolean isMissing(TrainingPod pod, RankProcess process) {
    return Math.floorMod((pod.uid() + process.restarts).hashCode(), 8) == 0;
  }

  static List<Line> lines(Instant now, TrainingPod pod, Gang gang, RankProcess process) {
    if (!trains(process) || gang.training().lastStep().plus(TIMEOUT).isAfter(now)) {
      return List.of();
    }
    return switch (gang.traces()) {
      case NONE -> List.of();
      case TRUE -> isMissing(pod, process) ? List.of() : List.of(said(now, gang, process));
      case FALSE ->
          lies(pod, gang, process)
              ? List.of(line(now, new WatchdogStuck(60)))
              : List.of(said(now.plusSeconds(3), gang, process));
      case OLD -> {
        Instant first = gang.training().firstStepTime();
        yield lies(pod, gang, process) && first.plus(OLD).isBefore(gang.training().lastStep())
            ? List.of(line(first, new WatchdogStuck(60)))
            : List.of();
      }
    };
  }

  /** What a rank that waits logs once its time is over, and what one that hangs does. */
  private static Line said(Instant now, Gang gang, RankProcess process) {
    long over = gang.training().step();
    return line(
        now,
        process.stuckOnHost()
            ? new WatchdogStuck(60)
            : new WorkCounters(
                new LoggedGroup("0", true, "default_pg", process.rank),
                over + 1,
                completed(gang, process)));
  }

  private static Line line(Instant at, LogFact fact) {
    return LineRecord.of(new LoggedLine(-1, at, fact));
  }

  /** Ranks that wait are in a collective; one that hangs loads data, or is in code of its own. */
  static List<Frame> stack(TrainingPod pod, Gang gang, RankProcess process) {
    if (!trains(process) || gang.traces() == Traces.NONE || isMissing(pod, process)) {
      return List.of();
    }
    boolean hangs =
        gang.traces() == Traces.FALSE ? lies(pod, gang, process) : process.stuckOnHost();
    if (!hangs) {
      return List.of(REDUCES);
    }
    return List.of(Math.floorMod(pod.jobUid().hashCode(), 2) == 0 ? LOADS : COMPUTES);
  }

  /** Ranks that wait spin; one that hangs sleeps. */
  static @Nullable RankActivity activity(TrainingPod pod, Gang gang, RankProcess process) {
    if (!trains(process) || gang.traces() == Traces.NONE) {
      return null;
    }
    boolean sleeps =
        gang.traces() == Traces.FALSE ? lies(pod, gang, process) : process.stuckOnHost();
    return sleeps
        ? new RankActivity(WINDOW, 10, 0, 0, MainThread.SLEEPING, 40, 0)
        : new RankActivity(WINDOW, 510, 495, 0, MainThread.RUNNING, 40, 0);
  }

  /**
   * What the GPU of a rank does: one that waits spins in a collective, that of a rank whose host
   * hangs is idle, and one that hangs itself is at work in something else. Of every other job they
   * are not read.
   */
  static @Nullable RankDevice device(TrainingPod pod, Gang gang, RankProcess process) {
    boolean read = Math.floorMod(gang.job().hashCode() >> 6, 2) == 0;
    if (!trains(process) || gang.traces() == Traces.NONE || !read) {
      return null;
    }
    if (gang.traces() == Traces.FALSE ? lies(pod, gang, process) : process.stuckOnHost()) {
      return new RankDevice(GPU, 0, 0, 130, 35, 900);
    }
    return process.stuck && process.onDevice
        ? new RankDevice(GPU, 100, 30, 850, 35, 900)
        : new RankDevice(GPU, 100, 1, 260, 35, 900);
  }
}
