package dev.rekindle.simulator.world;

import dev.rekindle.api.RankReportStatus.RestartAsked;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.world.RankProcess.State;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What goes wrong in the processes of a job, in its logs, and with its checkpoints. */
public final class JobFaults {
  /** From a line in a log until its agent has read it. */
  private static final Duration SEES_LINE = Duration.ofMillis(200);

  private final World world;

  JobFaults(World world) {
    this.world = world;
  }

  private Gang gang(JobKey job) {
    return world.gang(world.jobs().get(job.toString()).meta().uid());
  }

  private Stream<RankProcess> processes(JobKey job, int rank) {
    return gang(job).processes().ofRank(rank);
  }

  /** One rank stops, and nothing shows it. */
  public void hang(JobKey job, int rank) {
    processes(job, rank).forEach(p -> p.stuck = true);
    gang(job).update();
  }

  /** The device of a rank, or a link of it, completes nothing more, and no error is seen. */
  public void stallDevice(JobKey job, int rank) {
    processes(job, rank)
        .filter(p -> !p.stuck)
        .forEach(
            p -> {
              p.stuck = true;
              p.onDevice = true;
            });
    gang(job).update();
  }

  /** The process of a rank ends. */
  public void die(JobKey job, int rank, int code) {
    Gang gang = gang(job);
    processes(job, rank)
        .filter(p -> p.runs() || (code == Gang.KILLED && p.machine.runs()))
        .forEach(p -> gang.exit(p, code));
  }

  /** The script of a rank requests a restart and trains on; to go so many steps back, if given. */
  public void askForRestart(JobKey job, int rank, @Nullable Long stepsBack) {
    long step = gang(job).training().step();
    Long before = stepsBack == null ? null : Math.max(0, step - stepsBack);
    processes(job, rank)
        .filter(p -> p.runs() && p.state == State.TRAINING)
        .forEach(p -> p.asked = new RestartAsked("loss spike", before, world.now()));
    world.loop().after(world.jitter(SEES_LINE), () -> world.rankReporters().restartAsked(job));
  }

  /** The next starts of a rank fail. */
  public void failStarts(JobKey job, int rank, int times) {
    failStarts(job, rank, times, 1);
  }

  /** The same, with that exit code. */
  public void failStarts(JobKey job, int rank, int times, int code) {
    gang(job).failingStarts().plan(rank, times, code);
  }

  /** The next process of a rank hangs before it has met the others. */
  public void hangAtStart(JobKey job, int rank) {
    gang(job).failingStarts().hang(rank);
  }

  /** Whether ranks hang on that node some steps after their gang has begun. */
  public void hangOn(String node, boolean hangs) {
    world.machine(node).hangsRanks = hangs;
  }

  /** What a rank prints comes so much later, as its output is buffered. */
  public void printLate(JobKey job, int rank, Duration by) {
    gang(job).training().habits().late(rank, by);
  }

  /** The loss that a rank prints is its own, and no number; that of the job is one. */
  public void printNoLoss(JobKey job, int rank) {
    gang(job).training().habits().notFinite(rank);
  }

  /** What a rank prints of its steps is off by so much, until another process of it starts. */
  public void forgeSteps(JobKey job, int rank, long by) {
    processes(job, rank).forEach(p -> p.forged = by);
  }

  /** The lines of a rank that trains are not read from now on: its log was rotated, say. */
  public void loseLines(JobKey job, int rank) {
    processes(job, rank).forEach(p -> p.read = gang(job).training().printed(p));
  }

  /** Whether the lines of another rank of the gang are read. */
  public boolean othersAreRead(JobKey job, int rank) {
    return IntStream.range(0, world.jobs().get(job.toString()).setup().ranks())
        .filter(other -> other != rank)
        .anyMatch(other -> processes(job, other).anyMatch(p -> p.read == null));
  }

  /** They are read again. */
  public void findLines(JobKey job, int rank) {
    processes(job, rank)
        .filter(p -> p.read != null)
        .forEach(
            p -> {
              p.read = null;
              p.readAgain = world.now();
            });
  }

  /** So many of the newest checkpoints of a job look complete and are not. */
  public void poisonNewestCheckpoints(JobKey job, Poison poison, int count) {
    gang(job).training().storage().poisonNewest(poison, count, world.now());
  }

  /** The same of the one that is so many before the newest. */
  public void poisonCheckpoint(JobKey job, Poison poison, int before) {
    gang(job).training().storage().poison(poison, before, world.now());
  }

  /** The checkpoints of a job are on the disk of one node. */
  public void keepCheckpointsOn(JobKey job, String node) {
    gang(job).training().storage().keepOn(List.of(node));
  }

  /** Saves of a job fail from now on, and it trains on. */
  public void failSaves(JobKey job) {
    gang(job).training().failSaves();
  }

  /** The newest checkpoint of a job loses a part of its bytes. */
  public void tearNewestCheckpoint(JobKey job) {
    gang(job).training().storage().tearNewest(world.now());
  }
}
