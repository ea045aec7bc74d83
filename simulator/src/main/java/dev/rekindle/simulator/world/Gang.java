package dev.rekindle.simulator.world;

import dev.rekindle.api.RankReportStatus.LoadError;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.setup.JobSetup.Recorder;
import dev.rekindle.simulator.setup.JobSetup.Traces;
import dev.rekindle.simulator.world.RankProcess.State;
import dev.rekindle.simulator.world.SimEvent.Kind;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The training of one job: synchronous, so that it moves only while every rank does. Its ranks
 * start, meet at the store of rank 0, train together, and end together when one of them is gone.
 */
public final class Gang {
  /** Until a rank that waits at a store notices that the store is gone. */
  private static final Duration HEARS_RESET = Duration.ofMillis(200);

  /** The exit code of a process that SIGKILL has ended. */
  static final int KILLED = 137;

  private final World world;
  private JobSetup setup;
  private final TrainingProgress training;
  private final GangProcesses processes = new GangProcesses();
  private final Generations generations = new Generations();
  private final Rendezvous rendezvous;
  private final FailingStarts failingStarts = new FailingStarts();
  private final PoisonedStart poisoned;
  private final OwnEnds ends;

  /** How often it began or ceased to move: what was planned for an earlier time is void. */
  private long turns;

  Gang(World world, JobSetup setup) {
    this.world = world;
    this.setup = setup;
    this.training = new TrainingProgress(world.loop(), setup);
    this.rendezvous = new Rendezvous(world, setup.key(), processes, generations);
    this.poisoned = new PoisonedStart(world, this);
    this.ends = new OwnEnds(world, this);
  }

  /** Another number of ranks makes the gang complete. */
  void resized(JobSetup next) {
    setup = next;
  }

  /** The job that it trains. */
  JobKey job() {
    return setup.key();
  }

  /** Which of its ranks write dumps. */
  Recorder recorder() {
    return setup.recorder();
  }

  /** What its logs and the kernel's counters show. */
  Traces traces() {
    return setup.traces();
  }

  /** How many ranks make it complete. */
  int ranks() {
    return setup.ranks();
  }

  // --- processes ----------------------------------------------------------------------------

  /** The container of the pod has started. */
  void start(PodObject pod, Machine machine) {
    RankProcess process = new RankProcess(pod, machine, generations.next(pod));
    process.early = generations.early(pod, process.generation);
    processes.add(process);
    reportRunning();
    world.loop().after(world.jitter(world.timing().processStart()), () -> started(process));
  }

  /** Reports what runs, now that more does. */
  void reportRunning() {
    world.witness().runs(setup.key(), processes.running(training.moving(), world.now()));
  }

  private void started(RankProcess process) {
    if (process.state != State.STARTING) {
      return;
    }
    if (!process.runs()) {
      // Goes on where it was when the machine does, or its agent lets it.
      world.loop().after(Duration.ofSeconds(1), () -> started(process));
      return;
    }
    OptionalInt fails = failingStarts.start(process.rank);
    if (fails.isPresent()) {
      exit(process, fails.getAsInt());
      return;
    }
    if (process.isOnBrokenGpu()) {
      exit(process, 1);
    } else if (failingStarts.hangs(process.rank)) {
      process.stuck = true;
      world.emit(Kind.TRAINING, job().toString(), "rank " + process.rank + " hangs at its start");
    } else {
      process.state = State.WAITING;
      rendezvous.lookForStore(process);
      meet();
    }
  }

  /** When every rank waits, they begin together. */
  private void meet() {
    List<RankProcess> members = rendezvous.complete(setup.ranks());
    if (!members.isEmpty()) {
      begin(members);
    }
  }

  private void begin(List<RankProcess> members) {
    training.meets(members);
    long from = resumeStep(members.getFirst());
    if (!training.canLoad(from)) {
      world.emit(Kind.TRAINING, job().toString(), "cannot load the checkpoint of step " + from);
      members.forEach(p -> p.state = State.BLOCKED);
      members.forEach(p -> exit(p, 1));
      return;
    }
    if (poisoned.stops(members, from)) {
      return;
    }
    TrainingPeriod next = training.begin(members, from);
    members.forEach(p -> p.state = State.TRAINING);
    RankProcess leader = members.getFirst();
    world.witness().begins(setup.key(), leader.generation, leader.template, from);
    world
        .loop()
        .after(
            world.timing().load().plus(next.program().step()),
            () -> {
              if (training.isCurrent(next)) {
                training.firstStep(next);
                next.members().forEach(p -> poisoned.forget(p.podUid));
                update();
                world.emit(Kind.TRAINING, setup.key().toString(), "trains from step " + (from + 1));
                next.members().forEach(ends::begins);
              }
            });
  }

  /** What the log of the container of a pod says of a checkpoint, until a step is made. */
  @Nullable LoadError loadError(String podUid) {
    return poisoned.loadError(podUid);
  }

  /** What the script of rank 0 resumes from: what its environment names, or the newest file. */
  private long resumeStep(RankProcess first) {
    return first.template.givenStep() >= 0
        ? first.template.givenStep()
        : training.newestCheckpoint();
  }

  /** A process exits. */
  void exit(RankProcess process, int code) {
    if (process.state != State.DEAD) {
      end(process);
      world.kubelet(process.machine.name()).exited(process, code);
    }
  }

  /** The kubelet has ended the process, or it is gone with its machine. */
  void end(RankProcess process) {
    if (process.state == State.DEAD) {
      return;
    }
    process.state = State.DEAD;
    processes.remove(process);
    leave(process);
    update();
    TrainingPeriod current = training.epoch();
    if (current != null && current.members().contains(process)) {
      training.end();
      current.members().forEach(this::block);
    }
  }

  /** Ranks that waited at its store get a connection reset. */
  private void leave(RankProcess leader) {
    for (RankProcess p : rendezvous.released(leader)) {
      world.loop().after(world.jitter(HEARS_RESET), () -> exit(p, 1));
    }
  }

  /** Checks everything that decides whether the gang moves; called whenever any of it changed. */
  void update() {
    TrainingPeriod current = training.epoch();
    if (current == null) {
      meet();
      return;
    }
    boolean able = current.hasTrained() && current.members().stream().allMatch(RankProcess::able);
    if (able && !current.moving()) {
      training.move(current);
      turns++;
      finishLater(current);
    } else if (!able && current.moving()) {
      training.stop(current);
      long turn = ++turns;
      world.rankReporters().stands(setup.key());
      world.emit(Kind.TRAINING, setup.key().toString(), "stands at step " + training.step());
      world.loop().after(world.timing().peers(), () -> giveUp(current, turn));
    }
  }

  private void giveUp(TrainingPeriod waiting, long turn) {
    if (training.isCurrent(waiting) && turn == turns && !waiting.moving()) {
      if (waiting.members().stream().anyMatch(p -> p.frozen)) {
        // The timeout of a process does not run while it is frozen.
        world.loop().after(world.timing().peers(), () -> giveUp(waiting, turn));
        return;
      }
      List<RankProcess> members = List.copyOf(waiting.members());
      members.stream().filter(RankProcess::able).forEach(p -> exit(p, 1));
    }
  }

  private void block(RankProcess process) {
    if (process.state != State.TRAINING) {
      return;
    }
    process.state = State.BLOCKED;
    abortLater(process);
  }

  void abortLater(RankProcess process) {
    world
        .loop()
        .after(
            world.timing().peers(),
            () -> {
              if (process.state != State.BLOCKED || process.stuck) {
                return;
              }
              if (process.runs()) {
                exit(process, 1);
              } else {
                abortLater(process);
              }
            });
  }

  private void finishLater(TrainingPeriod current) {
    if (setup.steps() >= Long.MAX_VALUE / 2) {
      return;
    }
    long left = current.microsFor(setup.steps()) - current.trained(world.loop().micros());
    long turn = turns;
    world
        .loop()
        .after(
            Duration.ofNanos(Math.max(0, left) * 1_000),
            () -> {
              if (training.isCurrent(current) && turn == turns && current.moving()) {
                training.stop(current);
                training.end();
                List.copyOf(current.members()).forEach(ends::succeed);
              }
            });
  }

  /** Its steps and checkpoints. */
  public TrainingProgress training() {
    return training;
  }

  /** Its processes. */
  public GangProcesses processes() {
    return processes;
  }

  /** Whether agents have to do with it. */
  boolean isOptedIn() {
    return world
        .jobs()
        .find(setup.key().toString())
        .filter(job -> job.optIn() instanceof OptIn.Yes)
        .filter(job -> equals(world.gang(job.meta().uid())))
        .isPresent();
  }

  // --- restart in place ---------------------------------------------------------------------

  /** An order is there, or says more than before. */
  void ordered(OrderObject order, String attempt) {
    if (generations.ordered(order, attempt)) {
      processes.all().stream()
          .filter(p -> p.generation.equals(order.generation()))
          .forEach(p -> p.early = false);
      reportRunning();
    }
  }

  /** An order is gone: what is left of its gang is one again, whatever of it was restarted. */
  void withdrawn(OrderObject order) {
    generations
        .withdrawn(order)
        .ifPresent(
            attempt ->
                processes.all().stream()
                    .filter(p -> !p.orphaned && p.template.attempt().equals(attempt))
                    .forEach(p -> p.joins(order)));
    update();
  }

  void freeze(RankProcess process) {
    if (process.state != State.DEAD && !process.frozen) {
      process.frozen = true;
      process.thawed = false;
      update();
    }
  }

  void thaw(RankProcess process) {
    if (process.frozen) {
      process.frozen = false;
      process.thawed = generations.anyStands();
      reportRunning();
      update();
    }
  }

  /** Its agent kills it, frozen or not. */
  void kill(RankProcess process) {
    process.frozen = false;
    exit(process, KILLED);
  }

  /** What the container of the pod runs next belongs to the generation that the order starts. */
  void restarts(String podUid, OrderObject order) {
    generations.restarts(podUid, order);
  }

  /** The new container of the pod was seen. */
  void adopt(RankProcess process, OrderObject order) {
    if ((process.early || !process.generation.equals(order.generation()))
        && !generations.isLater(process.generation, order)) {
      restarts(process.podUid, order);
      process.joins(order);
      reportRunning();
      update();
    }
  }

  // --- faults -------------------------------------------------------------------------------

  /** Which starts of its ranks fail. */
  FailingStarts failingStarts() {
    return failingStarts;
  }

  /** The device of these processes is gone: some die of it, some wait for ever. */
  void deviceLost(Machine machine, boolean dies) {
    for (RankProcess p : processes.all()) {
      if (p.machine.equals(machine) && p.holds(machine.faultyGpu())) {
        if (dies && !p.frozen) {
          exit(p, 134);
        } else {
          p.stuck = true;
        }
      }
    }
    update();
  }
}
